// An IMAP account that is watched: the engine on its mailbox, and IDLE for hints.
import type { MailAccountConfig } from "../../config/config.ts";
import { createMailWatch, type MailWatchOptions } from "../schedule.ts";
import type { WatchedMail } from "../account.ts";
import { createImapMailbox } from "./mailbox.ts";

export type ImapWatchOptions = Pick<
  MailWatchOptions,
  "store" | "decide" | "clock" | "log" | "leaseMs" | "agentId" | "onStored" | "random"
> & { config: MailAccountConfig };

export function createImapWatch(options: ImapWatchOptions): WatchedMail {
  const { config, clock } = options;
  const mailbox = createImapMailbox(config, { clock });
  const engine = createMailWatch({
    ...options,
    source: "imap",
    mailbox,
    pollMs: config.pollSeconds * 1000,
    limits: config.catchUp,
    remedy: `a new login for ${config.id} in hooks.mail`,
  });
  const stopping = new AbortController();
  let idling: Promise<void> = Promise.resolve();
  return {
    start() {
      engine.start();
      // It ends by itself only when the login is refused, which the looks find out and tell.
      idling = mailbox.idle(() => engine.hint(), stopping.signal).catch(() => {});
    },
    handles: () => false,
    handle: () => {},
    async stop() {
      stopping.abort();
      await Promise.all([engine.stop(), idling]);
      mailbox.close();
    },
  };
}

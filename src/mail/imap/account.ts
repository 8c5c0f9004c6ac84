// An IMAP account: its mailbox on a schedule, with hints from IDLE.
import { secondsToMs } from "../../core/duration.ts";
import type { MailAccountConfig } from "../../config/config.ts";
import { createMailSchedule, type MailScheduleOptions } from "../schedule.ts";
import type { SyncedAccount } from "../account.ts";
import { createImapMailbox } from "./mailbox.ts";

export type ImapAccountOptions = Pick<
  MailScheduleOptions,
  "store" | "decide" | "clock" | "log" | "leaseMs" | "agentId" | "onStored" | "random"
> & { config: MailAccountConfig };

export function createImapAccount(options: ImapAccountOptions): SyncedAccount {
  const { config, clock } = options;
  const mailbox = createImapMailbox(config, { clock });
  const schedule = createMailSchedule({
    ...options,
    source: "imap",
    mailbox,
    pollMs: secondsToMs(config.pollSeconds),
    limits: config.catchUp,
    remedy: `a new login for ${config.id} in hooks.mail`,
  });
  const stopping = new AbortController();
  let idling: Promise<void> = Promise.resolve();
  return {
    start() {
      schedule.start();
      // Idling ends by itself only when the login is refused; the next sync finds that out and reports it.
      idling = mailbox.idle(() => schedule.hint(), stopping.signal).catch(() => {});
    },
    handles: () => false,
    handle: () => {},
    async stop() {
      stopping.abort();
      await Promise.all([schedule.stop(), idling]);
      mailbox.close();
    },
  };
}

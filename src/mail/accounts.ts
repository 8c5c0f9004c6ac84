// All watched mailboxes, as the configuration says at this moment. A watch whose settings or login have not changed
// goes on over a reload; another is stopped and made anew.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Decision } from "../core/request.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Acceptance } from "../core/request.ts";
import type { MailPayload, MailStore } from "./options.ts";
import type { SyncedAccount } from "./account.ts";

export type MailAccountsOptions = {
  store: MailStore;
  decide: (payload: MailPayload) => Promise<Decision>;
  clock: Clock;
  log: Log;
  leaseMs: number;
  agentId: () => string;
  onStored: (acceptances: readonly Acceptance[]) => void;
};

export type MailAccounts = {
  /** Watches what this configuration names, and nothing else. Never rejects. */
  apply(config: Config): Promise<void>;
  /** Who answers a request of this target, if it is for one of the watches. */
  handler(target: string): ((exchange: Exchange) => void) | null;
  stop(): Promise<void>;
};

/** A mailbox of the configuration, before it is watched. */
type Wanted = { id: string; fingerprint: string; make: () => Promise<SyncedAccount> };
type Made = { fingerprint: string; watch: SyncedAccount };

export function createMailAccounts(options: MailAccountsOptions): MailAccounts {
  const watches = new Map<string, Made>();
  let isStopped = false;

  async function begin({ id, fingerprint, make }: Wanted): Promise<void> {
    if (isStopped || watches.has(id)) return;
    const watch = await make();
    watches.set(id, { fingerprint, watch });
    watch.start();
  }

  async function dropAllBut(wanted: readonly Wanted[]): Promise<void> {
    const stays = new Map(wanted.map(({ id, fingerprint }) => [id, fingerprint]));
    const leaving = [...watches].filter(([id, { fingerprint }]) => stays.get(id) !== fingerprint);
    for (const [id] of leaving) watches.delete(id);
    await Promise.all(leaving.map(([, { watch }]) => watch.stop()));
  }

  async function applyAll(config: Config): Promise<void> {
    const wanted = config.hooks.enabled ? wantedBy(config, options) : [];
    await dropAllBut(wanted);
    for (const each of wanted) await begin(each);
  }

  let applying: Promise<void> = Promise.resolve();
  return {
    apply: (config) =>
      (applying = applying
        .then(() => applyAll(config))
        .catch((fault: unknown) => options.log.error("mail cannot be watched", { kind: faultKind(fault) }))),
    handler(target) {
      for (const { watch } of watches.values()) if (watch.handles(target)) return watch.handle;
      return null;
    },
    async stop() {
      isStopped = true;
      await applying;
      await dropAllBut([]);
    },
  };
}

/** Each kind is loaded with its first mailbox. */
function wantedBy({ hooks }: Config, options: MailAccountsOptions): Wanted[] {
  const accounts = hooks.mail.map((config) => ({
    id: `imap:${config.id}`,
    fingerprint: hash("sha256", JSON.stringify(config)),
    make: async () => (await import("./imap/account.ts")).createImapAccount({ ...options, config }),
  }));
  return [...gmailOf(hooks, options), ...accounts];
}

function gmailOf({ gmail }: Config["hooks"], options: MailAccountsOptions): Wanted[] {
  if (!gmail) return [];
  const fingerprint = hash("sha256", JSON.stringify([gmail, contentOf(gmail.credentialsFile)]));
  const make = async () => {
    const { createGmailAccount } = await import("./gmail/account.ts");
    return createGmailAccount({ ...options, config: gmail });
  };
  return [{ id: `gmail:${gmail.account}`, fingerprint, make }];
}

/** Changes when a login that a watch depends on does. */
export const mailFingerprint = ({ hooks }: Config): string =>
  hooks.enabled && hooks.gmail ? hash("sha256", contentOf(hooks.gmail.credentialsFile)) : "";

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (fault) {
    return faultKind(fault);
  }
}

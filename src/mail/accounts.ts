// The mail accounts of the configuration. A reload keeps an account whose settings and login are unchanged. It stops
// any other and starts a new one.
import { hash } from "node:crypto";
import type { Config } from "../config/config.ts";
import { readRegularFile } from "../config/read/regular-file.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Acceptance, Decided } from "../core/request.ts";
import type { Exchange } from "../http/exchange.ts";
import type { SyncedAccount } from "./account.ts";
import type { MailPayload, MailStore } from "./options.ts";

export type MailAccountsOptions = {
  store: MailStore;
  decide: (payload: MailPayload) => Promise<Decided>;
  clock: Clock;
  log: Log;
  leaseMs: number;
  agentId: () => string;
  onStored: (acceptances: readonly Acceptance[]) => void;
};

export type MailAccounts = {
  /** Syncs the accounts this configuration names, and no others. Never rejects. */
  apply(config: Config): Promise<void>;
  /** Handles a request with this target, if one of the accounts takes it. */
  handler(target: string): ((exchange: Exchange) => void) | null;
  stop(): Promise<void>;
};

/** An account of the configuration that may not have been started yet. */
type Wanted = { id: string; fingerprint: string; create: () => Promise<SyncedAccount> };
type Started = { fingerprint: string; account: SyncedAccount };

export function createMailAccounts(options: MailAccountsOptions): MailAccounts {
  const started = new Map<string, Started>();
  let isStopped = false;
  let applying: Promise<void> = Promise.resolve();

  async function start({ id, fingerprint, create }: Wanted): Promise<void> {
    if (isStopped || started.has(id)) return;
    const account = await create();
    started.set(id, { fingerprint, account });
    account.start();
  }

  async function stopAllBut(wanted: readonly Wanted[]): Promise<void> {
    const kept = new Map(wanted.map(({ id, fingerprint }) => [id, fingerprint]));
    const leaving = [...started].filter(([id, { fingerprint }]) => kept.get(id) !== fingerprint);
    for (const [id] of leaving) started.delete(id);
    await Promise.all(leaving.map(([, { account }]) => account.stop()));
  }

  async function applyAll(config: Config): Promise<void> {
    const wanted = config.hooks.enabled ? await accountsOf(config, options) : [];
    await stopAllBut(wanted);
    for (const each of wanted) await start(each);
  }

  return {
    apply: (config) =>
      (applying = applying
        .then(() => applyAll(config))
        .catch((fault: unknown) => options.log.error("mail cannot be read", { kind: faultKind(fault) }))),
    handler(target) {
      for (const { account } of started.values()) if (account.handles(target)) return account.handle;
      return null;
    },
    async stop() {
      isStopped = true;
      await applying;
      await stopAllBut([]);
    },
  };
}

/** The code for a kind of mailbox is loaded with its first account. */
async function accountsOf({ hooks }: Config, options: MailAccountsOptions): Promise<Wanted[]> {
  const imap = hooks.mail.map((config) => ({
    id: `imap:${config.id}`,
    fingerprint: hash("sha256", JSON.stringify(config)),
    create: async () => (await import("./imap/account.ts")).createImapAccount({ ...options, config }),
  }));
  return [...(await gmailOf(hooks, options)), ...imap];
}

async function gmailOf({ gmail }: Config["hooks"], options: MailAccountsOptions): Promise<Wanted[]> {
  if (!gmail) return [];
  const login = await loginFingerprint(gmail.credentialsFile);
  const fingerprint = hash("sha256", JSON.stringify([gmail, login]));
  const create = async () => {
    const { createGmailAccount } = await import("./gmail/account.ts");
    return createGmailAccount({ ...options, config: gmail });
  };
  return [{ id: `gmail:${gmail.account}`, fingerprint, create }];
}

/** Changes when the login of an account does. */
export const mailFingerprint = async ({ hooks }: Config): Promise<string> =>
  hooks.enabled && hooks.gmail ? loginFingerprint(hooks.gmail.credentialsFile) : "";

/** A file that cannot be read is a state like any other. */
async function loginFingerprint(file: string): Promise<string> {
  try {
    return hash("sha256", await readRegularFile(file));
  } catch (fault) {
    return faultKind(fault);
  }
}

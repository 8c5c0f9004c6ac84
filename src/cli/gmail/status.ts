// `rouse gmail status`: the account, its last sync, its state, and what to do.
import { existsSync } from "node:fs";
import type { Config, GmailConfig } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import type { MailAccount } from "../../core/mail.ts";
import { findAccount } from "../../gmail-setup/cursor.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Context } from "../command.ts";
import { openStore } from "../open/store.ts";
import { printFields, printJson } from "../terminal/output.ts";
import { loadSettings } from "../open/settings.ts";
import { statusFlags } from "./options.ts";
import { ago, type Health, judgeMail } from "./health.ts";

export async function runStatus(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, statusFlags);
  refuseMore(positionals, 0);
  const { config } = await loadSettings(context, values.config);
  const gmail = gmailOf(config);
  const account = await storedAccount(config, gmail, context);
  const now = context.clock.now();
  const health = judgeMail(gmail, account, now);
  if (values.json) printJson(context, resourceOf(gmail, account, health));
  else printFields(context, wordsFor(gmail, account, health, now));
  return health.state === "needs-reauth" ? 1 : 0;
}

export function gmailOf({ hooks, file }: Config): GmailConfig {
  if (hooks.gmail === null)
    throw new UsageError(`hooks.gmail is not in ${file} yet. Set it up with: rouse gmail setup`);
  return hooks.gmail;
}

/** Null when the store, or the account in it, does not exist yet. */
export async function storedAccount(
  { store: where }: Config,
  { account }: GmailConfig,
  { clock }: Context,
): Promise<MailAccount | null> {
  if (where.url === null && !existsSync(where.path)) return null;
  const store = await openStore(where, clock);
  try {
    return await findAccount(store, account);
  } finally {
    await store.close();
  }
}

const iso = (at: number | null | undefined): string | null => (at ? new Date(at).toISOString() : null);

const resourceOf = (gmail: GmailConfig, account: MailAccount | null, { state, message, fix }: Health) => ({
  account: gmail.account,
  mode: gmail.mode,
  label: gmail.label,
  state,
  message,
  fix,
  cursorAt: iso(account?.cursorAt),
  lastSyncAt: iso(account?.lastSyncAt),
  watchExpiration: gmail.mode === "poll" ? null : iso(account?.watchExpiration),
  lastError: account?.lastError ?? null,
  credentialsFile: gmail.credentialsFile,
});

function wordsFor(gmail: GmailConfig, account: MailAccount | null, health: Health, now: number) {
  const since = (at: number | null | undefined): string | null => (at ? `${ago(now - at)} ago` : null);
  const until = account?.watchExpiration;
  return {
    account: gmail.account,
    mode: `${gmail.mode}, label ${gmail.label}`,
    state: `${health.state}: ${health.message}`,
    "cursor set": since(account?.cursorAt),
    "last sync": since(account?.lastSyncAt),
    ...(gmail.mode !== "poll" && {
      hints: !until
        ? "not asked for yet"
        : until > now
          ? `active for ${ago(until - now)} more`
          : "ended; mail is still read at intervals",
    }),
    "last error": account?.lastError ?? null,
    "what to do": health.fix ?? "nothing",
  };
}

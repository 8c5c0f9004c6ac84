// Builds a `MailAccountConfig` from an entry of `hooks.mail`.
import type { MailAccountConfig } from "../config.ts";
import type { Settings } from "../schema/index.ts";

const hourMs = 3_600_000;

export function buildMail(account: Settings["hooks"]["mail"][number]): MailAccountConfig {
  const { secure, allowInsecure, port, password, accessToken, catchUp, ...rest } = account;
  return {
    ...rest,
    port: port ?? (secure ? 993 : 143),
    encryption: secure ? "tls" : allowInsecure ? "none" : "starttls",
    login: accessToken?.trim() ? { accessToken: accessToken.trim() } : { password: password ?? "" },
    catchUp: { maxAgeMs: catchUp.maxAgeHours * hourMs, maxMessages: catchUp.maxMessages },
  };
}

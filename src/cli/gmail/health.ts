// The state of the Gmail account: one word, one sentence, and what to do. For `gmail status` and `doctor`.
import { statSync } from "node:fs";
import type { GmailConfig } from "../../config/config.ts";
import type { MailAccount } from "../../core/mail.ts";

export type MailState =
  | MailAccount["status"]
  /** Never synced. */
  | "new"
  /** Not synced for too long: no gateway runs, or it is stuck. */
  | "silent";

export type Health = { state: MailState; message: string; fix: string | null };

const newLogin = "Log in again: rouse gmail setup --new-login";
/** Syncs are at most five minutes apart, and so is the back-off. */
const longestGapMs = 15 * 60_000;

export function judgeMail(gmail: GmailConfig, account: MailAccount | null, now: number): Health {
  const fault = fileFault(gmail.credentialsFile);
  if (fault !== null)
    return {
      state: "needs-reauth",
      message: `the login in ${gmail.credentialsFile} ${fault}`,
      fix: newLogin,
    };
  if (account?.status === "needs-reauth")
    return {
      state: "needs-reauth",
      message: `mail is no longer read: ${account.lastError ?? "Google does not take the login"}`,
      fix: newLogin,
    };
  if (account === null || account.lastSyncAt === null)
    return { state: "new", message: "the mailbox was not read yet", fix: "Start the gateway: rouse start" };
  const sinceSyncMs = now - account.lastSyncAt;
  const isLate = sinceSyncMs > Math.max(longestGapMs, 3 * gmail.pollMs);
  if (account.status === "degraded")
    return {
      state: "degraded",
      message: account.lastError ?? "something is wrong",
      fix: degradedFix(account.lastError, isLate),
    };
  if (isLate)
    return {
      state: "silent",
      message: `the mailbox was not read for ${ago(sinceSyncMs)}`,
      fix: "See that the gateway runs: rouse start",
    };
  return {
    state: "ok",
    message: `the mailbox was read ${ago(sinceSyncMs)} ago`,
    fix: openFix(gmail.credentialsFile),
  };
}

function degradedFix(error: string | null, isLate: boolean): string {
  const text = error ?? "";
  if (/SERVICE_DISABLED|accessNotConfigured/.test(text))
    return "Enable the API in the client's project, then wait: rouse gmail setup says where.";
  if (/label/.test(text)) return "See hooks.gmail.label, and the labels of the mailbox.";
  if (/hints/.test(text)) return "Mail is still read, at intervals. Mend the hints: rouse gmail setup";
  return isLate
    ? "See that this machine reaches Google; then: rouse gmail setup"
    : "It is tried again by itself. If it stays: rouse gmail setup";
}

function fileFault(file: string): string | null {
  try {
    return statSync(file).isFile() ? null : "is no file";
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : null;
    return code === "ENOENT" ? "does not exist" : "cannot be read";
  }
}

function openFix(file: string): string | null {
  const isOpen = process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
  return isOpen ? `Others can read the login: chmod 600 ${file}` : null;
}

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

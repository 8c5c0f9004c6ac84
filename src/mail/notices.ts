// Notes about a mail account for the main session. None of their text comes from a mail.
import { newId } from "../core/id.ts";
import { mailHook } from "../core/mail.ts";
import { heartbeatDelayMs, mainSessionKey } from "../core/run.ts";
import type { MailNotice } from "../core/mail.ts";
import type { CatchUp } from "./mailbox.ts";

type About = { mailbox: { readonly account: string }; agentId: () => string; remedy: string };

function notice({ agentId }: About, text: string): MailNotice {
  return {
    event: { id: newId(), sessionKey: mainSessionKey, source: "notice", hook: mailHook, text: [text] },
    heartbeat: { agentId: agentId(), delayMs: heartbeatDelayMs },
  };
}

export const reauthNotice = (about: About, reason: string): MailNotice =>
  notice(
    about,
    `New mail of ${about.mailbox.account} is no longer read: ${reason}. Nothing is lost meanwhile. A person has to mend it: ${about.remedy}`,
  );

/** Null when nothing was left out. */
export function skippedNotice(
  about: About & { limits: { maxAgeMs: number; maxMessages: number } },
  { skipped, ids }: CatchUp,
  since: number | null,
): MailNotice | null {
  if (skipped === 0) return null;
  const { maxAgeMs, maxMessages } = about.limits;
  const from = since === null ? "" : ` since ${new Date(since).toISOString()}`;
  return notice(
    about,
    `The mailbox ${about.mailbox.account} could not be followed without a gap${from}. ${countOf(skipped)} left out: older than ${days(maxAgeMs)}, or beyond the newest ${maxMessages} (catchUp). The ${ids.length} newer ones were read.`,
  );
}

function countOf(skipped: number | null): string {
  if (skipped === null) return "An unknown number of mails was";
  return skipped === 1 ? "1 mail was" : `${skipped} mails were`;
}

const days = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000);
  return hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`;
};

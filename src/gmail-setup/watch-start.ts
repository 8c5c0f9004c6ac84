// Asking Gmail for its hints, for `pull` and `push`: not again while they are promised long enough.
import type { GmailConfig } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { MailAccount } from "../core/mail.ts";
import { type Ask, GoogleRefusal } from "./ask.ts";
import { type Endpoints, gmailCalls } from "./calls.ts";
import type { Done } from "./done.ts";
import type { Cloud, Wanted } from "./wanted.ts";
import { explained } from "./words.ts";

/** `expiration` null: it was not asked for again. */
export type WatchStart = { done: Done; expiration: number | null };

export type WatchOptions = {
  ask: Ask;
  endpoints: Endpoints;
  wanted: Wanted;
  cloud: Cloud;
  labelId: string;
  /** What is configured, and known of the account, until now. */
  before: GmailConfig | null;
  known: MailAccount | null;
  /** Gmail was given its right to publish just now. */
  isJustGranted: boolean;
  clock: Clock;
};

const enoughMs = 48 * 3_600_000;
/** A grant takes a little while until it counts everywhere. */
const grantPausesMs = [2000, 5000, 10_000, 20_000];

export async function startWatch(options: WatchOptions): Promise<WatchStart> {
  const { ask, endpoints, cloud, labelId, isJustGranted, clock } = options;
  const done = { what: "watch", name: cloud.topic };
  if (!isJustGranted && isPromised(options)) return { done: { ...done, state: "there" }, expiration: null };
  const call = gmailCalls(endpoints).watch(cloud.topic, labelId);
  const { expiration } = await explained({ what: "Asking Gmail for its hints", project: cloud.project }, () =>
    insist(() => ask(call), isJustGranted ? grantPausesMs : [], clock),
  );
  return { done: { ...done, state: "made" }, expiration: Number(expiration) || null };
}

function isPromised({ wanted, cloud, before, known, clock }: WatchOptions): boolean {
  const isSame =
    before?.account === wanted.account && before.label === wanted.label && before.topic === cloud.topic;
  return isSame && (known?.watchExpiration ?? 0) - clock.now() > enoughMs;
}

async function insist<T>(action: () => Promise<T>, pausesMs: readonly number[], clock: Clock): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await action();
    } catch (fault) {
      if (!isNotYetGranted(fault)) throw fault;
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
  }
  return action();
}

const isNotYetGranted = (fault: unknown): boolean =>
  fault instanceof GoogleRefusal &&
  fault.status === 403 &&
  !fault.has("SERVICE_DISABLED", "accessNotConfigured", "rateLimitExceeded", "userRateLimitExceeded");

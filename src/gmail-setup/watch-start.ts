// Starts Gmail's watch, for `pull` and `push`, unless the current one lasts long enough.
import type { GmailConfig } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { MailAccount } from "../core/mail.ts";
import { type Ask, GoogleRefusal } from "./ask.ts";
import { type Endpoints, gmailCalls } from "./calls.ts";
import type { Step } from "./step.ts";
import type { Cloud, Goal } from "./goal.ts";
import { explained } from "./refusals.ts";

/** `expiration`: null when the watch was not renewed. */
export type WatchStart = { done: Step; expiration: number | null };

export type WatchOptions = {
  ask: Ask;
  endpoints: Endpoints;
  goal: Goal;
  cloud: Cloud;
  labelId: string;
  /** The config and the stored account before this setup. */
  before: GmailConfig | null;
  known: MailAccount | null;
  /** Gmail got its right to publish in this setup. */
  isJustGranted: boolean;
  clock: Clock;
};

const enoughMs = 48 * 3_600_000;
/** A new grant takes a while to take effect. */
const grantPausesMs = [2000, 5000, 10_000, 20_000];

export async function startWatch(options: WatchOptions): Promise<WatchStart> {
  const { ask, endpoints, cloud, labelId, isJustGranted, clock } = options;
  const done = { what: "watch", name: cloud.topic };
  if (!isJustGranted && isPromised(options)) return { done: { ...done, state: "there" }, expiration: null };
  const call = gmailCalls(endpoints).watch(cloud.topic, labelId);
  const { expiration } = await explained({ what: "Asking Gmail for its hints", project: cloud.project }, () =>
    retryUntilGranted(() => ask(call), isJustGranted ? grantPausesMs : [], clock),
  );
  return { done: { ...done, state: "made" }, expiration: Number(expiration) || null };
}

function isPromised({ goal, cloud, before, known, clock }: WatchOptions): boolean {
  const isSame =
    before?.account === goal.account && before.label === goal.label && before.topic === cloud.topic;
  return isSame && (known?.watchExpiration ?? 0) - clock.now() > enoughMs;
}

async function retryUntilGranted<T>(
  action: () => Promise<T>,
  pausesMs: readonly number[],
  clock: Clock,
): Promise<T> {
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

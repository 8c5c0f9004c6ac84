// Checks the clock: signed requests, Google's tokens, budgets' days and the dates in prompts need the right time.
import { largest } from "../../core/largest.ts";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import type { Store } from "../../store/ports/store.ts";
import { type Finding, notChecked, ok, warn } from "./finding.ts";

const toleratedMs = 5000;
const fix = "Set this machine's clock by NTP.";

export async function checkClock({ url }: Config["store"], store: Store, clock: Clock): Promise<Finding> {
  return url === null ? againstStored(store, clock.now()) : againstDatabase(store, clock);
}

/** Compares with the newest stored item, which cannot be in the future. */
async function againstStored(store: Store, now: number): Promise<Finding> {
  const page = { limit: 1 };
  const lists = await Promise.all([
    store.searchRuns({ ...page, before: null }).then(({ items }) => items),
    store.listEvents(page),
    store.listDeliveries(page),
    store.listRequests(page),
  ]);
  const times = lists.flat().map(({ createdAt }) => createdAt);
  if (times.length === 0) return ok("clock", "nothing is stored yet to compare it with");
  const aheadMs = largest(times) - now;
  return aheadMs > toleratedMs
    ? warn("clock", `something was stored ${inSeconds(aheadMs)} in the future: the clock went back`, fix)
    : ok("clock", "later than everything that is stored");
}

async function againstDatabase(store: Store, clock: Clock): Promise<Finding> {
  try {
    const before = clock.now();
    const there = await store.databaseTime();
    return judgeDifference((before + clock.now()) / 2 - there);
  } catch (fault) {
    return notChecked("clock", `the time of the database could not be read (${faultKind(fault)})`);
  }
}

export function judgeDifference(differenceMs: number): Finding {
  const side = differenceMs > 0 ? "ahead of" : "behind";
  return Math.abs(differenceMs) > toleratedMs
    ? warn("clock", `${inSeconds(Math.abs(differenceMs))} ${side} the database's`, fix)
    : ok("clock", "agrees with the database's");
}

const inSeconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`;

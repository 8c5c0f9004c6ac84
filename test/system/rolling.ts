// Shared by tests in which nodes come and go under load: how much was accepted, and the judgement at the end.
import type { Store } from "../../src/store/ports/store.ts";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { until } from "../support/process.ts";
import { faultsIn } from "./crash-check.ts";
import type { Load } from "./crash-load.ts";
import { type Lab, sendWake } from "./lab.ts";

/** So many attempts that no run fails because its nodes were killed. */
export const maxAttempts = 50;

export const acceptedIn = ({ sent }: Load): number =>
  sent.filter(({ responses }) => responses.length > 0).length;

export async function moreAccepted(load: Load, count: number): Promise<void> {
  const enough = acceptedIn(load) + count;
  await until("more is accepted", () => acceptedIn(load) >= enough, { withinMs: 120_000 });
}

export type Ended = { lab: Lab; load: Load; url: string; store: Store };

/** Ends the load, waits for the end of everything accepted, and returns the faults. */
export async function faultsAfter({ lab, load, url, store }: Ended): Promise<string[]> {
  const idle = () =>
    until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0, {
      withinMs: 180_000,
    });
  await load.stop();
  await load.repeatAll();
  await idle();
  await sendWake(url, "the end");
  await idle();
  const runs = (await store.listRuns({ kind: "hook", limit: null })).toReversed();
  const events = await store.listEvents({ limit: null });
  const { sent } = load;
  return faultsIn({ sent, runs, events, journal: lab.journal(), prompts: lab.prompts(), maxAttempts });
}

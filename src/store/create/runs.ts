// The port of runs: starts and settlements in group commits.
import type { AttemptStart, AttemptStarted } from "../../core/attempt.ts";
import type { Run } from "../../core/run.ts";
import type { Driver } from "../driver/program.ts";
import type { Runs } from "../ports/runs.ts";
import type { Programs } from "../programs/catalogue.ts";
import type { Settled } from "../programs/settle.ts";
import { createGroup } from "./group.ts";
import { collectFound } from "./searches.ts";
import { runSetAside, type UnreadableReports } from "./unreadable.ts";

/** Prompts and replies can be large. */
const longestGroup = 64;

export const createRuns = (driver: Driver<Programs>, reports: UnreadableReports): Runs => ({
  claimRuns: (claim) => claimReadable(driver, reports, claim),
  renewRuns: (renewal) => driver.run("renewRuns", renewal),
  startRun: createStartRun(driver, reports),
  markActed: (run) => driver.run("markActed", run),
  noteLastLine: (line) => driver.run("noteLastLine", line),
  settleRun: createSettleRun(driver),
  cancelRun: (id, ended) => driver.run("cancelRun", { id, ...ended }),
  repeatRun: (id, newId) => driver.run("repeatRun", { id, newId }),
  listFailedRuns: (page) => driver.run("listFailedRuns", page),
  repeatFailedRuns: (repeats) => driver.run("repeatFailedRuns", { repeats }),
  releaseRuns: (which) => driver.run("releaseRuns", which),
  listAttempts: (runId) => driver.run("listAttempts", { runId }),
  findRun: (id) => driver.run("findRun", { id }),
  runStates: (ids) => driver.run("runStates", { ids }),
  listRuns: ({ limit, kind }) =>
    collectFound<Run, number>(limit, (page) => driver.run("searchRuns", { ...page, kinds: [kind] })),
  countWaiting: () => driver.run("countWaiting", null),
  backlog: () => driver.run("backlog", {}),
  listSpending: () => driver.run("listSpending", {}),
});

/** Claims again while all that it got had to be set aside. */
async function claimReadable(
  driver: Driver<Programs>,
  reports: UnreadableReports,
  claim: Parameters<Runs["claimRuns"]>[0],
): ReturnType<Runs["claimRuns"]> {
  for (;;) {
    const { unreadable, ...result } = await driver.run("claimRuns", claim);
    if (unreadable.length === 0) return result;
    const settlements = unreadable.map((run) => ({ ...run, settlement: runSetAside(run) }));
    // What is not stored now is claimed again when its lease has ended.
    await driver.run("settleRuns", { settlements }).catch(() => {});
    for (const { id, reason } of unreadable) reports.add({ table: "run", id, reason });
    // What was behind them in their lanes is due now.
    if (result.claimed.length > 0) return { ...result, nextInMs: 0 };
  }
}

function createStartRun(driver: Driver<Programs>, reports: UnreadableReports): Runs["startRun"] {
  const group = createGroup<AttemptStart, AttemptStarted>({
    write: (starts) => driver.run("startRuns", { starts }),
    longest: longestGroup,
  });
  return async (start) => {
    const started = await group.add(start);
    const unreadable = started.kind === "go" ? (started.history.unreadable ?? []) : [];
    if (unreadable.length === 0) return started;
    // The attempt has started. A later one finds them again.
    await driver.run("setTurnsAside", { seqs: unreadable.map(({ id }) => id) }).catch(() => {});
    unreadable.forEach(reports.add);
    return started;
  };
}

/** A heartbeat is settled in a group of its own: see `programs/settle`. */
function createSettleRun(driver: Driver<Programs>): Runs["settleRun"] {
  const settle = (group: readonly Settled[]) => driver.run("settleRuns", { settlements: group });
  const heartbeats = createGroup<Settled, boolean>({ write: settle, longest: 1 });
  const hookRuns = createGroup<Settled, boolean>({ write: settle, longest: longestGroup });
  return ({ id, lease, kind }, settlement) => {
    const group = kind === "heartbeat" ? heartbeats : hookRuns;
    return group.add({ id, lease, settlement });
  };
}

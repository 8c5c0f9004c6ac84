// The port of runs: starts and settlements in group commits.
import type { AttemptStart, AttemptStarted } from "../../core/attempt.ts";
import type { Driver } from "../driver/program.ts";
import type { Runs } from "../ports/runs.ts";
import type { Programs } from "../programs/catalogue.ts";
import type { Settled } from "../programs/settle.ts";
import { createGroup } from "./group.ts";
import { collect } from "./lists.ts";

/** Prompts and replies can be large. */
const longestGroup = 64;

export const createRuns = (driver: Driver<Programs>): Runs => ({
  claimRuns: (claim) => driver.run("claimRuns", claim),
  renewRuns: (renewal) => driver.run("renewRuns", renewal),
  startRun: createStartRun(driver),
  markActed: (run) => driver.run("markActed", run),
  settleRun: createSettleRun(driver),
  cancelRun: (id, ended) => driver.run("cancelRun", { id, ...ended }),
  repeatRun: (id, newId) => driver.run("repeatRun", { id, newId }),
  releaseRuns: (which) => driver.run("releaseRuns", which),
  findRun: (id) => driver.run("findRun", { id }),
  listRuns: ({ limit, kind }) => collect(limit, (page) => driver.run("listRuns", { ...page, kind })),
  countWaiting: () => driver.run("countWaiting", null),
  backlog: () => driver.run("backlog", {}),
  listSpending: () => driver.run("listSpending", {}),
});

const createStartRun = (driver: Driver<Programs>): Runs["startRun"] =>
  createGroup<AttemptStart, AttemptStarted>({
    write: (group) => driver.run("startRuns", { starts: group }),
    longest: longestGroup,
  }).add;

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

// One round: clients start, a node stops at the point, the fault strikes, everything is released, and when all work is
// done, the histories are returned.
import { setTimeout as delay } from "node:timers/promises";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { until } from "../support/process.ts";
import { createRandom } from "../support/random.ts";
import { type Bench, type BenchNode, releaseAll, type Standing } from "./bench.ts";
import type { Cell, Point } from "./cells.ts";
import { type Plan, planOf, strike } from "./fault.ts";
import { type Histories, monotonicMs } from "./history.ts";
import { type Load, startLoad } from "./load.ts";

const boundMs = 60_000;

export async function playRound(bench: Bench, cell: Cell, seed: number): Promise<Histories> {
  const random = createRandom(seed);
  const plan = planOf(random, cell.nodes);
  const troubles: string[] = [];
  const attempt = (what: Promise<unknown>): Promise<boolean> =>
    what.then(
      () => true,
      (fault: unknown) => {
        troubles.push(fault instanceof Error ? fault.message : String(fault));
        return false;
      },
    );
  const name = bench.startRound();
  const startedAt = monotonicMs();
  const standing = await stand(bench, cell.point, plan);
  const load = startLoad(name, bench.nodes, random);

  let victim: string | null = null;
  const play = async (): Promise<void> => {
    const found = await standing(load);
    victim = found.node.life();
    troubles.push(...(await strike(bench, found, cell, plan)));
  };
  await attempt(play());
  releaseAll(bench);
  const revived = attempt(
    Promise.all(bench.nodes.filter((node) => !node.isAlive()).map((node) => node.start())),
  );
  await attempt(within("every client's response", load.done));
  load.giveUp();
  if (await attempt(quiet(bench, false))) {
    await attempt(within("the last wake's response", load.wake()));
    await attempt(quiet(bench, true));
  }
  await revived;

  const { inspect } = bench;
  const page = { limit: 50 + 4 * load.requests.length };
  const [runs, events, kept, deliveries] = await Promise.all([
    inspect.listRuns({ ...page, kind: "hook" }),
    inspect.listEvents(page),
    inspect.listRequests({ limit: 2 * page.limit }),
    inspect.listDeliveries(page),
  ]);
  const ours = new Set(load.requests.map(({ marker }) => marker));
  const ourRuns = runs.filter(({ request }) => ours.has(request.name ?? "")).toReversed();
  const runIds = new Set(ourRuns.map(({ id }) => id));
  return {
    cell,
    requests: load.requests,
    ...bench.world.take(),
    notes: [...bench.notes()],
    lives: bench.lives().filter(({ diedAt }) => diedAt === null || diedAt >= startedAt),
    victim,
    runs: ourRuns,
    events,
    kept,
    deliveries: deliveries.filter(({ runId }) => runIds.has(runId)).toReversed(),
    troubles: [...troubles, ...bench.troubles()],
  };
}

/** Makes nodes stop at the point. The returned function resolves with the first that does. */
async function stand(bench: Bench, point: Point, { skip }: Plan): Promise<(load: Load) => Promise<Standing>> {
  const { nodes, world } = bench;
  const nodeOf = (life: string): BenchNode => nodes.find((node) => node.life() === life) ?? nodes[0]!;
  if (point === "running") {
    const turn = world.holdTurn(skip);
    return () =>
      within(
        "a turn",
        turn.then(({ life, runId }) => ({ node: nodeOf(life), id: runId })),
      );
  }
  const isAccepted = point === "accepted";
  await Promise.all(nodes.map((node) => node.arm({ point, skip: isAccepted ? 0 : skip })));
  if (!isAccepted) return () => within(`a node at ${point}`, bench.reached());
  return async (load) => {
    const hasAccepted = () => nodes.find((node) => load.responsesOf(node.life()) > skip);
    return { node: await until("a node that has accepted a run", hasAccepted), id: null };
  };
}

/** Resolves when no work is left; with `shown`, no event waits for the main session either. */
async function quiet({ inspect, world }: Bench, shown: boolean): Promise<void> {
  const isQuiet = async (): Promise<boolean> => {
    if (world.openTurns() > 0 || unfinishedRuns(await inspect.backlog()) > 0) return false;
    if ((await inspect.waitingChannels()).length > 0) return false;
    return !shown || (await inspect.waitingEvents("main", 1)).length === 0;
  };
  await until("the end of all work", isQuiet, { withinMs: boundMs });
}

async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const giveUp = new AbortController();
  const late = delay(boundMs, null, { signal: giveUp.signal }).then(() => {
    throw new Error(`${what} did not happen within ${boundMs} ms`);
  });
  late.catch(() => {});
  return Promise.race([promise, late]).finally(() => giveUp.abort());
}

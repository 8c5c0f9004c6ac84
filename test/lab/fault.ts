// The fault that strikes a node at the point, or the store under it.
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { clockSteps } from "../builders/clock-step.ts";
import { until } from "../support/process.ts";
import { type Bench, type BenchNode, leaseMs, releaseAll, type Standing } from "./bench.ts";
import type { Cell } from "./cells.ts";
import { monotonicMs } from "./history.ts";
import type { Way } from "./proxy.ts";

/** The random decisions of a round. */
export type Plan = {
  /** How often the point is passed before a node stands still there. */
  skip: number;
  /** Nodes at the point continue only after the fault, not while it lasts. */
  isLate: boolean;
  /** A fault that lasts, lasts longer than a lease. */
  isLong: boolean;
  /** With a full disk: how far into its files the node can still write. */
  spaceBytes: number;
  /** How far the node's wall clock is set. */
  stepMs: number;
};

export const planOf = (random: () => number, nodes: number): Plan => ({
  skip: Math.floor(random() * (nodes === 1 ? 3 : 2)),
  isLate: random() < 0.5,
  isLong: random() < 0.35,
  spaceBytes: Math.floor(random() * 3) * 16_384,
  stepMs: clockSteps[Math.floor(random() * clockSteps.length)]![1],
});

/** Resolves when the fault is over, with the violations that it noticed. */
export async function strike(bench: Bench, standing: Standing, cell: Cell, plan: Plan): Promise<string[]> {
  const victim = standing.node;
  switch (cell.fault) {
    case "kill":
      await victim.kill();
      return [];
    case "stop":
      return stop(bench, victim, cell, plan);
    case "restart":
      return outage(bench, victim, plan, {
        start: () => bench.server?.pause(),
        end: () => bench.server?.resume(),
      });
    case "cut":
      return cutOff(bench, standing, cell, plan);
    case "full":
      return outage(bench, victim, plan, {
        start: () => limitFiles(victim.pid(), String(plan.spaceBytes)),
        end: () => limitFiles(victim.pid(), "unlimited"),
      });
    case "clock":
      return setClock(bench, victim, cell, plan);
    case "slow":
      return slowDown(bench, victim, plan);
  }
}

/** How long a packet takes, one after another: no lease of the lab can be kept with them. */
const ways: readonly Way[] = [
  { ms: 650, jitterMs: 0 },
  { ms: 1500, jitterMs: 500 },
  { ms: 650, jitterMs: 300 },
];

/** The database is far from the victim, and sometimes from all nodes. The way changes while work is under way. */
async function slowDown(bench: Bench, victim: BenchNode, { isLate, isLong }: Plan): Promise<string[]> {
  const slowed = isLong ? bench.nodes : [victim];
  releaseOthers(bench, victim);
  try {
    for (const [index, way] of ways.entries()) {
      for (const { wire } of slowed) wire?.slow(way);
      if (index === 1 && !isLate) releaseAll(bench);
      await delay(1.2 * leaseMs);
    }
  } finally {
    for (const { wire } of slowed) wire?.mend();
  }
  return [];
}

/** Late: the agent replies only when the node is gone, so that the node releases the run. */
async function stop(bench: Bench, victim: BenchNode, cell: Cell, { isLate }: Plan): Promise<string[]> {
  const ended = victim.stop();
  if (!(isLate && cell.point === "running")) releaseAll(bench);
  const code = await ended;
  return code === 0 ? [] : [`the node ${victim.life()} was stopped and ended with ${code}`];
}

/** The store is away until the victim has felt it, and sometimes for longer than a lease. */
async function outage(
  bench: Bench,
  victim: BenchNode,
  { isLate, isLong }: Plan,
  { start, end }: { start: () => unknown; end: () => unknown },
): Promise<string[]> {
  const from = monotonicMs();
  await start();
  releaseOthers(bench, victim);
  try {
    if (!isLate) releaseAll(bench);
    const life = victim.life();
    const isFelt = () =>
      bench.notes().some((note) => note.kind === "away" && note.life === life && note.at > from);
    await until(`a store that is away for ${life}`, isFelt, { withinMs: 20_000 });
    if (isLong) await delay(1.5 * leaseMs);
  } finally {
    await end();
  }
  return [];
}

/** The node's wall clock is set, and stays so. On SQLite that is the store's clock, too, and the node says that it saw it. */
async function setClock(
  bench: Bench,
  victim: BenchNode,
  { store }: Cell,
  { isLate, isLong, stepMs }: Plan,
): Promise<string[]> {
  const steps = (): number => victim.output().split("the store's clock").length;
  const before = steps();
  await victim.setClock(stepMs);
  releaseOthers(bench, victim);
  if (!isLate) releaseAll(bench);
  if (store === "sqlite")
    await until(`a step of the clock of ${victim.life()}`, () => steps() > before, { withinMs: 20_000 });
  if (isLong) await delay(1.5 * leaseMs);
  return [];
}

/** Late and long: the node is back only when another has taken over its run and works on it. */
async function cutOff(
  bench: Bench,
  { node, id }: Standing,
  { nodes, point }: Cell,
  plan: Plan,
): Promise<string[]> {
  const wire = { start: () => node.wire?.cut(), end: () => node.wire?.mend() };
  const isOvertaken =
    plan.isLate && plan.isLong && nodes > 1 && (point === "claimed" || point === "finished");
  if (!isOvertaken) return outage(bench, node, plan, wire);
  const life = node.life();
  const successor = bench.world.holdTurn(0, (turn) => turn.runId === id && turn.life !== life);
  let isTaken = false;
  void successor.then(() => (isTaken = true));
  wire.start();
  releaseOthers(bench, node);
  await until(`a node that takes over from ${life}`, () => isTaken, { withinMs: 20_000 }).finally(wire.end);
  const from = monotonicMs();
  node.release();
  const hasTried = () =>
    bench.notes().some((note) => note.life === life && note.at > from && "id" in note && note.id === id);
  await until(`${life} with the run it had`, hasTried, { withinMs: 20_000 });
  return [];
}

/** Other nodes that wait at the point continue. */
function releaseOthers({ nodes }: Bench, victim: BenchNode): void {
  for (const node of nodes) if (node !== victim) node.release();
}

/** A process that may write no further into any file has a full disk. */
function limitFiles(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:`], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`prlimit failed: ${stderr}`);
}

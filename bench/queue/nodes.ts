// Nodes at work on one contender's queue, seen from outside: what counts as done is what the database says.
import type { ChildProcess } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { messageFrom, type Lab } from "../lab.ts";
import { ask } from "../postgres.ts";
import type { Handled, NodeAnswer, NodeOrder } from "../processes/queue-node.ts";
import type { ContenderName } from "./contender.ts";
import { loadContender } from "./load-contender.ts";

/** A contender with a queue of its own: a database, or a file for one node alone. */
export type Entrant = { name: string; contender: ContenderName; place: string; mostNodes: number };

async function tell(child: ChildProcess, order: NodeOrder): Promise<NodeAnswer> {
  child.send(order);
  return messageFrom<NodeAnswer>(child);
}

async function startNode(lab: Lab, { contender, place }: Entrant): Promise<ChildProcess> {
  const child = lab.start("queue-node", contender, place);
  await messageFrom(child);
  return child;
}

export async function fillQueue(
  lab: Lab,
  entrant: Entrant,
  { lanes, count }: { lanes: number; count: number },
): Promise<void> {
  const child = await startNode(lab, entrant);
  await tell(child, { kind: "fill", lanes, from: Math.floor(Math.random() * lanes), count });
  await lab.end(child);
  // With statistics as fresh as they are in the long run.
  if (entrant.mostNodes > 1) await ask(entrant.place, "vacuum analyze");
}

export async function countUnfinished({ contender, place, mostNodes }: Entrant): Promise<number> {
  const { unfinishedSql } = await loadContender(contender);
  if (mostNodes > 1) return Number((await ask<{ count: string }>(place, unfinishedSql))[0]?.count);
  const database = new DatabaseSync(place, { readOnly: true });
  try {
    return Number(database.prepare(unfinishedSql).get()?.["count"]);
  } finally {
    database.close();
  }
}

export type Work = {
  nodes: number;
  places: number;
  handleMs: number;
  /** Null: until the queue is empty. */
  seconds: number | null;
};

const longestMs = 600_000;
const nowUs = (): number => Number(process.hrtime.bigint()) / 1000;

/** Ends stored a second, and what the nodes wrote down. */
export async function workQueue(
  lab: Lab,
  entrant: Entrant,
  { nodes, places, handleMs, seconds }: Work,
): Promise<{ perSecond: number; handled: Handled[] }> {
  const children = await Promise.all(Array.from({ length: nodes }, () => startNode(lab, entrant)));
  const all = (order: NodeOrder): Promise<NodeAnswer[]> =>
    Promise.all(children.map((child) => tell(child, order)));
  const begun = async (): Promise<number> =>
    (await all({ kind: "count" })).reduce((sum, { count }) => sum + count, 0);

  const queued = await countUnfinished(entrant);
  await all({ kind: "work", places, handleMs });
  await until(async () => (await begun()) > 0, longestMs);
  const [fromUs, before] = [nowUs(), await countUnfinished(entrant)];
  await until(async () => (await begun()) >= queued, seconds === null ? longestMs : seconds * 1000);
  const drained = (await begun()) >= queued;
  const toUs = drained ? Math.max(...(await all({ kind: "count" })).map(({ lastUs }) => lastUs)) : nowUs();
  const after = drained ? 0 : await countUnfinished(entrant);
  const answers = await all({ kind: "stop" });
  await Promise.all(children.map((child) => lab.end(child)));
  return {
    perSecond: ((before - after) / (toUs - fromUs)) * 1_000_000,
    handled: answers.flatMap(({ handled }) => handled),
  };
}

/** Looks until it is so, or the time is up. */
async function until(isSo: () => Promise<boolean>, limitMs: number): Promise<void> {
  const givesUpAt = performance.now() + limitMs;
  while (!(await isSo())) {
    const leftMs = givesUpAt - performance.now();
    if (leftMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, leftMs)));
  }
}

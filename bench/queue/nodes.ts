// Nodes that work one contender's queue. A run counts as done when its end is in the database.
import type { ChildProcess } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { messageFrom, type Lab } from "../lab.ts";
import { query } from "../postgres.ts";
import type { Handled, NodeReport, NodeOrder } from "../processes/queue-node.ts";
import type { ContenderName } from "./contender.ts";
import { loadContender } from "./load-contender.ts";

/** A contender with its own queue: a database, or a file, which allows one node only. */
export type Participant = { name: string; contender: ContenderName; address: string; mostNodes: number };

async function send(child: ChildProcess, order: NodeOrder): Promise<NodeReport> {
  child.send(order);
  return messageFrom<NodeReport>(child);
}

async function startNode(lab: Lab, { contender, address }: Participant): Promise<ChildProcess> {
  const child = lab.start("queue-node", contender, address);
  await messageFrom(child);
  return child;
}

export async function fillQueue(
  lab: Lab,
  participant: Participant,
  { lanes, count }: { lanes: number; count: number },
): Promise<void> {
  const child = await startNode(lab, participant);
  await send(child, { kind: "fill", lanes, from: Math.floor(Math.random() * lanes), count });
  await lab.end(child);
  // Autovacuum would refresh the statistics in the long run.
  if (participant.mostNodes > 1) await query(participant.address, "vacuum analyze");
}

export async function countUnfinished({ contender, address, mostNodes }: Participant): Promise<number> {
  const { unfinishedSql } = await loadContender(contender);
  if (mostNodes > 1) return Number((await query<{ count: string }>(address, unfinishedSql))[0]?.count);
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    return Number(database.prepare(unfinishedSql).get()?.["count"]);
  } finally {
    database.close();
  }
}

export type Work = {
  nodes: number;
  slots: number;
  handleMs: number;
  /** Null: until the queue is empty. */
  seconds: number | null;
};

const longestMs = 600_000;
const nowUs = (): number => Number(process.hrtime.bigint()) / 1000;

/** Ends stored a second, and the jobs that the nodes recorded. */
export async function workQueue(
  lab: Lab,
  participant: Participant,
  { nodes, slots, handleMs, seconds }: Work,
): Promise<{ perSecond: number; handled: Handled[] }> {
  const children = await Promise.all(Array.from({ length: nodes }, () => startNode(lab, participant)));
  const all = (order: NodeOrder): Promise<NodeReport[]> =>
    Promise.all(children.map((child) => send(child, order)));
  const started = async (): Promise<number> =>
    (await all({ kind: "count" })).reduce((sum, { count }) => sum + count, 0);

  const queued = await countUnfinished(participant);
  await all({ kind: "work", slots, handleMs });
  await until(async () => (await started()) > 0, longestMs);
  const [fromUs, before] = [nowUs(), await countUnfinished(participant)];
  await until(async () => (await started()) >= queued, seconds === null ? longestMs : seconds * 1000);
  const drained = (await started()) >= queued;
  const toUs = drained ? Math.max(...(await all({ kind: "count" })).map(({ lastUs }) => lastUs)) : nowUs();
  const after = drained ? 0 : await countUnfinished(participant);
  const reports = await all({ kind: "stop" });
  await Promise.all(children.map((child) => lab.end(child)));
  return {
    perSecond: ((before - after) / (toUs - fromUs)) * 1_000_000,
    handled: reports.flatMap(({ handled }) => handled),
  };
}

/** Polls until the condition holds or the time is up. */
async function until(isSo: () => Promise<boolean>, limitMs: number): Promise<void> {
  const givesUpAt = performance.now() + limitMs;
  while (!(await isSo())) {
    const leftMs = givesUpAt - performance.now();
    if (leftMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, leftMs)));
  }
}

// Rouse beside queues that a Node program could put behind a webhook of its own, at equal durability: every one
// responds when the work is on disk. Accepting alone, and from the POST until the work is recorded as done, with an
// agent that replies at once. Then beside two other gateways, which store nothing and are compared in accepting alone.
import { setTimeout as pause } from "node:timers/promises";
import { agentOrder, arrivalsAt } from "../first-byte.ts";
import type { Lab } from "../lab.ts";
import type { LoadOrder } from "../processes/load.ts";
import { peerNames, type PeerName } from "../peers/load.ts";
import { figure, type Result, type Row } from "../row.ts";
import { startAgent, type StoreKind } from "../subjects/gateway.ts";
import { findOpenclaw } from "../subjects/openclaw.ts";
import { findPeer, startPeer } from "../subjects/peer.ts";
import type { Subject } from "../subjects/subject.ts";
import { findWebhook } from "../subjects/webhook.ts";
import { pairedRow, takePairs } from "../versions/pairs.ts";
import { startServer } from "../versions/server.ts";
import { openVersion } from "../versions/version.ts";
import { agentBody, wakeBody } from "./accept.ts";

const slots = 64;
const drainMs = 120_000;
const pollMs = 20;

/** Where ours stores beside it: on the same database where that is possible. */
const storeBeside: Record<PeerName, StoreKind> = {
  bullmq: "SQLite",
  restate: "SQLite",
  "pg-boss": "PostgreSQL",
  "graphile-worker": "PostgreSQL",
  dbos: "PostgreSQL",
};

const durability: Record<PeerName | "Rouse", string> = {
  Rouse:
    "SQLite with synchronous=FULL, or PostgreSQL with fsync and synchronous_commit on; group commit; the end of a run is stored with its summary, transcript and spending",
  bullmq:
    "one Lua script a job; Redis with appendonly yes and appendfsync always flushes once for all commands of an event loop turn, before it replies; the end is a second script",
  "pg-boss":
    "one insert a job, in a transaction of its own (fsync and synchronous_commit on); the end is an update, here for a batch at a time",
  "graphile-worker":
    "one call of add_job in a transaction of its own (fsync and synchronous_commit on); the end deletes the job, here in batches",
  dbos: "one insert for the workflow before the response, one for its step, one update for its end, each a transaction (fsync and synchronous_commit on)",
  restate:
    "one node, its replicated log on this machine with fsync of the log's write-ahead log (its default); start, step and end are entries of the log",
};

export async function measureRivals(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  const notes = [
    `ratio: Rouse over the rival in the turn next to it, median of ${lab.effort.rounds} pairs, in brackets the quartiles; 64 connections, ${slots} at work`,
    `Rouse: ${durability.Rouse}`,
  ];
  for (const name of peerNames) {
    const found = findPeer(name);
    if ("missing" in found) {
      notes.push(`missing: ${found.missing}`);
      continue;
    }
    const rival = `${name} ${found.version}`;
    notes.push(`${rival}: ${durability[name]}`);
    try {
      rows.push(await compareAccepting(lab, name, rival), await compareDone(lab, name, rival));
    } catch (fault) {
      notes.push(`${rival}: could not be measured: ${String(fault)}`);
    }
  }
  for (const gateway of [findWebhook(), findOpenclaw()]) {
    if (gateway.found) rows.push(await compareGateway(lab, gateway));
    else notes.push(`missing: ${gateway.missing}`);
  }
  return { name: "rivals", title: "Beside rivals at equal durability", rows, notes };
}

const accepting = (subject: Subject, seconds: number): LoadOrder =>
  agentOrder(subject, { body: agentBody, rate: null, seconds });

async function compareAccepting(lab: Lab, name: PeerName, rival: string): Promise<Row> {
  const store = storeBeside[name];
  const ours = await startServer(lab, openVersion(lab, undefined), { store, manner: "hold" });
  const theirs = await startPeer(lab, name, null);
  const sides = { ours, theirs };
  const { rounds, seconds } = lab.effort;
  const pairs = await takePairs(rounds, async (side, pair, length) => {
    lab.say(`${rival}, accepting: pair ${pair} of ${rounds}`);
    return rateOf(lab, accepting(sides[side], seconds * length));
  });
  await lab.end(ours.child);
  await theirs.end();
  return pairedRow(`accepted, ${store}`, "requests/s", rival, pairs);
}

/** Each has an agent of its own, which counts only its runs. */
async function compareDone(lab: Lab, name: PeerName, rival: string): Promise<Row> {
  const store = storeBeside[name];
  const version = openVersion(lab, undefined);
  const ours = await startServer(lab, version, { store, manner: "reply", maxConcurrent: slots });
  const agent = await startAgent(lab, "reply");
  const theirs = { ...(await startPeer(lab, name, agent)), agent };
  const sides = { ours, theirs };
  const { rounds, seconds } = lab.effort;
  const pairs = await takePairs(rounds, async (side, pair, length) => {
    lab.say(`${rival}, until done: pair ${pair} of ${rounds}`);
    return doneRate(lab, sides[side], (seconds / 2) * length);
  });
  await lab.end(ours.child);
  await theirs.end();
  return pairedRow(`POST until recorded as done, ${store}`, "runs/s", rival, pairs);
}

type Worker = Subject & { agent: Subject; hasUnfinished(): Promise<boolean> };

async function doneRate(lab: Lab, worker: Worker, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const { requests, unexpected, example } = await lab.load(accepting(worker, seconds));
  if (unexpected > 0) throw new Error(`${unexpected} responses like ${example}`);
  for (let arrived = 0; arrived < requests || (await worker.hasUnfinished());) {
    if (arrived < requests) arrived += (await arrivalsAt(worker.agent)).length;
    if (performance.now() - startedAt > drainMs)
      throw new Error(`${arrived} of ${figure(requests)} reached the agent in ${drainMs} ms`);
    await pause(pollMs);
  }
  return requests / ((performance.now() - startedAt) / 1000);
}

async function compareGateway(
  lab: Lab,
  rival: { name: string; version: string; start(lab: Lab): Promise<Subject> },
): Promise<Row> {
  const ours = await startServer(lab, openVersion(lab, undefined), { store: "SQLite", manner: "hold" });
  const theirs = await rival.start(lab);
  const sides = { ours, theirs };
  const body = JSON.stringify({ ...JSON.parse(wakeBody), mode: "next-heartbeat" });
  const { rounds, seconds } = lab.effort;
  const pairs = await takePairs(rounds, async (side, _pair, length) =>
    rateOf(lab, {
      ...accepting(sides[side], seconds * length),
      requests: [{ path: "/hooks/wake", body }],
      expectedStatus: [200],
    }),
  );
  await lab.end(ours.child);
  await lab.end(theirs.child);
  return pairedRow(
    "accepted: wake, SQLite",
    "requests/s",
    `${rival.name} ${rival.version}, not stored`,
    pairs,
  );
}

async function rateOf(lab: Lab, order: LoadOrder): Promise<number> {
  const { perSecond, unexpected, example } = await lab.load(order);
  if (unexpected > 0) throw new Error(`${unexpected} responses like ${example}`);
  return perSecond;
}

// From a POST to the agent's first byte: from the moment a request is due to the moment that the agent gets its run.
import { messageFrom, type Lab } from "./lab.ts";
import type { LoadOrder } from "./processes/load.ts";
import { quantile } from "./statistics.ts";
import { token, type Subject } from "./subjects/subject.ts";

export type Waits = { p50Ms: number; p99Ms: number };

const longestMs = 10_000;
const pollMs = 50;

/** Requests for agent runs; `rate` null: as many as are accepted. */
export const agentOrder = (
  { port }: Subject,
  load: { path?: string; body: string; rate: number | null; seconds: number },
): LoadOrder => ({
  port,
  requests: [{ path: load.path ?? "/hooks/agent", body: load.body }],
  expectedStatus: [202],
  token,
  connections: 64,
  seconds: load.seconds,
  rate: load.rate,
  keepIds: load.rate !== null,
});

/** The runs that have reached the agent since the last call, and when. */
export async function arrivalsAt(agent: Subject): Promise<[runId: string, atUs: number][]> {
  agent.child.send("arrivals");
  return messageFrom<[string, number][]>(agent.child);
}

export async function firstByteWaits(lab: Lab, agent: Subject, order: LoadOrder): Promise<Waits> {
  const { ids, dueUs, unexpected, example } = await lab.load(order);
  if (unexpected > 0) throw new Error(`${unexpected} responses like ${example}`);
  const due = new Map(ids.map((id, at) => [id, dueUs[at]!]));
  const waits: number[] = [];
  const givesUpAt = performance.now() + longestMs;
  while (due.size > 0 && performance.now() < givesUpAt) {
    for (const [id, atUs] of await arrivalsAt(agent)) {
      const dueAt = due.get(id);
      if (dueAt === undefined) continue;
      waits.push((atUs - dueAt) / 1000);
      due.delete(id);
    }
    if (due.size > 0) await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  if (due.size > 0)
    throw new Error(`${due.size} of ${ids.length} runs had not reached the agent after ${longestMs} ms`);
  return { p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) };
}

// From a POST to the agent's first byte: the moment a request was due to the moment the run's own request reaches its
// `http` agent. Against requests that go straight to that agent. At a tenth of two peaks: of the runs that are begun and
// ended a second, and of the requests that are accepted, which is many times as many.
import { messageFrom, type Lab } from "../lab.ts";
import type { LoadOrder } from "../processes/load.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median, medianRatio, quantile } from "../statistics.ts";
import { startAgent, startGateway, type Gateway, type StoreKind } from "../subjects/gateway.ts";
import { token, type Subject } from "../subjects/subject.ts";
import { agentBody } from "./accept.ts";

const places = 64;
/** So much longer than others: a tenth of a peak is few requests a second, and a p99 needs many. */
const longer = 4;
/** V8 compiles what a run takes for some tens of thousands of them; meanwhile a p99 is two to five times as high. */
const workingIn = { share: 0.5, timesSeconds: 20 };
const settleMs = 10_000;
const longestMs = 120_000;

type Waits = { p50Ms: number; p99Ms: number };

export async function measureLatency(lab: Lab): Promise<Result> {
  const stores: StoreKind[] = ["SQLite", "PostgreSQL"];
  const { rounds, seconds } = lab.effort;
  const turns = Math.max(1, Math.ceil(rounds / 2));
  const rows: Row[] = [];
  const notes: string[] = [`agents.maxConcurrent is ${places}; the agent answers at once`];
  for (const store of stores) {
    const accepted = await acceptedAtPeak(lab, store);
    const agent = await startAgent(lab, "answer");
    const gateway = await startGateway(lab, { store, agentPort: agent.port, maxConcurrent: places });
    const run = await runAtPeak(lab, gateway, agent);
    notes.push(
      `${store}: ${figure(run)} runs a second begin and end, ${figure(accepted)} requests are accepted`,
    );
    await workIn(lab, gateway, run);
    for (const [of, peak] of [
      ["runs", run],
      ["requests", accepted],
    ] as const) {
      const rate = Math.round(peak / 10);
      const [straight, through]: [Waits[], Waits[]] = [[], []];
      for (let turn = 0; turn <= turns; turn++) {
        lab.say(`${store}, a tenth of its ${of}: turn ${turn} of ${turns}`);
        const direct = await lab.load({ ...orderOf(agent, "/", rate, seconds), expectedStatus: [200] });
        const waits = await waitsOf(lab, gateway, agent, rate, seconds * longer);
        // The first turn warms up.
        if (turn === 0) continue;
        straight.push(direct);
        through.push(waits);
      }
      rows.push(...rowsOf(`${store}, a tenth of its ${of}`, rate, straight, through));
    }
    await lab.end(gateway.child);
  }
  return { name: "latency", title: "From a POST to the agent's first byte", rows, notes };
}

/** Of a gateway whose agent is never done, as accepting is measured. */
async function acceptedAtPeak(lab: Lab, store: StoreKind): Promise<number> {
  lab.say(`${store}: the highest rate`);
  const gateway = await startGateway(lab, { store });
  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn++)
    rates.push((await lab.load(orderOf(gateway, "/hooks/agent", null, lab.effort.seconds))).perSecond);
  await lab.end(gateway.child);
  return median(rates.slice(1));
}

/** As many as come are accepted; what reaches the agent is what is run. The rest is worked off before it is over. */
async function runAtPeak(lab: Lab, gateway: Gateway, agent: Subject): Promise<number> {
  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    lab.say(`${gateway.store}: the most runs, turn ${turn} of 2`);
    const startedAt = performance.now();
    const { requests } = await lab.load(orderOf(gateway, "/hooks/agent", null, lab.effort.seconds));
    for (let arrived = 0; arrived < requests;) {
      arrived += (await arrivalsAt(agent)).length;
      if (performance.now() - startedAt > longestMs)
        throw new Error(`${arrived} of ${requests} runs had reached the agent after ${longestMs} ms`);
      if (arrived < requests) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    rates.push(requests / ((performance.now() - startedAt) / 1000));
  }
  return median(rates.slice(1));
}

async function workIn(lab: Lab, gateway: Gateway, runAtPeak: number): Promise<void> {
  lab.say(`${gateway.store}: working in`);
  const rate = Math.round(runAtPeak * workingIn.share);
  await lab.load(orderOf(gateway, "/hooks/agent", rate, lab.effort.seconds * workingIn.timesSeconds));
}

async function arrivalsAt(agent: Subject): Promise<[string, number][]> {
  agent.child.send("arrivals");
  return messageFrom<[string, number][]>(agent.child);
}

const orderOf = ({ port }: Subject, path: string, rate: number | null, seconds: number): LoadOrder => ({
  port,
  requests: [{ path, body: agentBody }],
  expectedStatus: [202],
  token,
  connections: 64,
  seconds,
  rate,
  keepIds: rate !== null,
});

async function waitsOf(
  lab: Lab,
  gateway: Gateway,
  agent: Subject,
  rate: number,
  seconds: number,
): Promise<Waits> {
  const { ids, dueUs, unexpected, example } = await lab.load(orderOf(gateway, "/hooks/agent", rate, seconds));
  if (unexpected > 0) throw new Error(`${unexpected} answers like ${example}`);
  const due = new Map(ids.map((id, at) => [id, dueUs[at]!]));
  const waits: number[] = [];
  const givesUpAt = performance.now() + settleMs;
  while (due.size > 0 && performance.now() < givesUpAt) {
    for (const [id, atUs] of await arrivalsAt(agent)) {
      const dueAt = due.get(id);
      if (dueAt === undefined) continue;
      waits.push((atUs - dueAt) / 1000);
      due.delete(id);
    }
    if (due.size > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (due.size > 0)
    throw new Error(`${due.size} of ${ids.length} runs had not reached the agent after ${settleMs} ms`);
  return { p50Ms: quantile(waits, 0.5), p99Ms: quantile(waits, 0.99) };
}

function rowsOf(name: string, rate: number, straight: readonly Waits[], through: readonly Waits[]): Row[] {
  const against = "straight to the agent";
  return (["p50Ms", "p99Ms"] as const).map((key) => {
    const mine = through.map((each) => each[key]);
    return row(`${key.slice(0, 3)} at ${figure(rate)}/s: ${name}`, median(mine), "ms", {
      against,
      ratio: medianRatio(
        mine,
        straight.map((each) => each[key]),
      ),
      ...(key === "p99Ms" && { goal: { of: "value", atMost: 20 } }),
    });
  });
}

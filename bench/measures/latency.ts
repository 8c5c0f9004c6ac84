// From a POST to the agent's first byte, compared with requests that go straight to the agent. Measured at a tenth of two
// peaks: runs finished a second, and requests accepted a second, which is several times as many.
import { agentOrder, arrivalsAt, firstByteWaits, type Waits } from "../first-byte.ts";
import type { Lab } from "../lab.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median, medianRatio } from "../statistics.ts";
import { startAgent, startGateway, type Gateway, type StoreKind } from "../subjects/gateway.ts";
import type { Subject } from "../subjects/subject.ts";
import { agentBody } from "./accept.ts";

const slots = 64;
/** Turns are longer by this factor: a tenth of a peak is few requests a second, and a p99 needs many. */
const longer = 4;
/** V8 goes on compiling for some tens of thousands of runs; until then a p99 is two to five times as high. */
const warmUpLoad = { share: 0.5, timesSeconds: 20 };
const longestMs = 120_000;

export async function measureLatency(lab: Lab): Promise<Result> {
  const stores: StoreKind[] = ["SQLite", "PostgreSQL"];
  const { rounds, seconds } = lab.effort;
  const turns = Math.max(1, Math.ceil(rounds / 2));
  const rows: Row[] = [];
  const notes: string[] = [`agents.maxConcurrent is ${slots}; the agent replies at once`];
  for (const store of stores) {
    const accepted = await acceptedAtPeak(lab, store);
    const agent = await startAgent(lab, "reply");
    const gateway = await startGateway(lab, { store, agentPort: agent.port, maxConcurrent: slots });
    const run = await runAtPeak(lab, gateway, agent);
    notes.push(
      `${store}: ${figure(run)} runs a second start and end, ${figure(accepted)} requests are accepted`,
    );
    await warmUp(lab, gateway, run);
    for (const [of, peak] of [
      ["runs", run],
      ["requests", accepted],
    ] as const) {
      const rate = Math.round(peak / 10);
      const [straight, through]: [Waits[], Waits[]] = [[], []];
      for (let turn = 0; turn <= turns; turn++) {
        lab.say(`${store}, a tenth of its ${of}: turn ${turn} of ${turns}`);
        const direct = await lab.load({
          ...agentOrder(agent, { path: "/", body: agentBody, rate, seconds }),
          expectedStatus: [200],
        });
        const order = agentOrder(gateway, { body: agentBody, rate, seconds: seconds * longer });
        const waits = await firstByteWaits(lab, agent, order);
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

/** With an agent that never replies, as in the measurement of accepting. */
async function acceptedAtPeak(lab: Lab, store: StoreKind): Promise<number> {
  lab.say(`${store}: the highest rate`);
  const gateway = await startGateway(lab, { store });
  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn++)
    rates.push(
      (await lab.load(agentOrder(gateway, { body: agentBody, rate: null, seconds: lab.effort.seconds })))
        .perSecond,
    );
  await lab.end(gateway.child);
  return median(rates.slice(1));
}

/** Runs a second from the first request until the last accepted run has reached the agent. */
async function runAtPeak(lab: Lab, gateway: Gateway, agent: Subject): Promise<number> {
  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    lab.say(`${gateway.store}: the most runs, turn ${turn} of 2`);
    const startedAt = performance.now();
    const { requests } = await lab.load(
      agentOrder(gateway, { body: agentBody, rate: null, seconds: lab.effort.seconds }),
    );
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

async function warmUp(lab: Lab, gateway: Gateway, runAtPeak: number): Promise<void> {
  lab.say(`${gateway.store}: working in`);
  const rate = Math.round(runAtPeak * warmUpLoad.share);
  const seconds = lab.effort.seconds * warmUpLoad.timesSeconds;
  await lab.load(agentOrder(gateway, { body: agentBody, rate, seconds }));
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

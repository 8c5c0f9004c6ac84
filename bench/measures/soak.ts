// Soak: whether memory stays flat at half of the highest rate, with wakes and agent runs in turns and an agent that
// replies at once. The first quarter of the time does not count, because the heap is still growing to its size.
import { residentMegabytes, type Lab } from "../lab.ts";
import type { LoadOrder } from "../processes/load.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median } from "../statistics.ts";
import { startAgent, startGateway, type StoreKind } from "../subjects/gateway.ts";
import { token } from "../subjects/subject.ts";
import { agentBody, wakeBody } from "./accept.ts";

const sampleMs = 1000;

export async function measureSoak(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  const notes: string[] = [];
  for (const store of ["SQLite", "PostgreSQL"] as const) {
    const { row: made, note } = await soak(lab, store);
    rows.push(made);
    notes.push(note);
  }
  return {
    name: "soak",
    title: `${figure(lab.effort.soakMinutes)} minutes at half of the highest rate`,
    rows,
    notes,
  };
}

async function soak(lab: Lab, store: StoreKind): Promise<{ row: Row; note: string }> {
  const agent = await startAgent(lab, "reply");
  const gateway = await startGateway(lab, { store, agentPort: agent.port });
  const order: LoadOrder = {
    port: gateway.port,
    requests: [
      { path: "/hooks/wake", body: wakeBody },
      { path: "/hooks/agent", body: agentBody },
    ],
    expectedStatus: [200, 202],
    token,
    connections: 64,
    seconds: 10,
    rate: null,
    keepIds: false,
  };
  lab.say(`${store}: the highest rate`);
  const peak = await lab.load(order);
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(residentMegabytes(gateway.child.pid)), sampleMs);
  lab.say(`${store}: ${lab.effort.soakMinutes} minutes at ${figure(peak.perSecond / 2)}/s`);
  const seconds = lab.effort.soakMinutes * 60;
  const result = await lab.load({ ...order, rate: peak.perSecond / 2, seconds });
  clearInterval(timer);
  await lab.end(gateway.child);
  if (result.unexpected > 0) throw new Error(`${result.unexpected} responses like ${result.example}`);
  const quarter = Math.floor(samples.length / 4);
  const [early, late] = [samples.slice(quarter, quarter * 2), samples.slice(-quarter)].map(median);
  return {
    row: row(`memory at the end: ${store}`, late!, "MB", {
      against: "its second quarter",
      ratio: late! / early!,
      goal: { of: "ratio", atMost: 1.1 },
    }),
    note: `${store}: ${figure(result.requests)} requests at ${figure(peak.perSecond / 2)}/s, p99 ${figure(result.p99Ms)} ms, ${result.withoutResponse} without a response`,
  };
}

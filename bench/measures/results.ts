// Results: what 500 callers that wait for their runs and 500 that stream them take from accepting. Two gateways with the
// same waiting runs take turns; callers wait at one of them.
import { compare, type Contender, type Scores } from "../comparison.ts";
import { messageFrom, type Lab } from "../lab.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { type Gateway, startGateway, storeKinds, type StoreKind } from "../subjects/gateway.ts";
import { token } from "../subjects/subject.ts";
import { agentBody } from "./accept.ts";

const callers = 500;
const hooks = { results: "reply", maxWaiting: callers + 1 };

export async function measureResults(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  const notes: string[] = [];
  for (const store of storeKinds) {
    const scores = await measureOn(lab, store);
    rows.push(...scores.map((each) => rateRow(each, store)));
    notes.push(
      ...scores.map(
        ({ name, processorMicroseconds, p99Ms }) =>
          `${name}, ${store}: ${Math.round(processorMicroseconds)} µs of processor time a request, p99 ${figure(p99Ms)} ms`,
      ),
    );
  }
  return { name: "results", title: "Results", rows, notes };
}

async function measureOn(lab: Lab, store: StoreKind): Promise<Scores[]> {
  const [alone, waited] = [
    await startGateway(lab, { store, hooks }),
    await startGateway(lab, { store, hooks }),
  ];
  const contenderOf = (name: string, server: Gateway): Contender => ({
    name,
    server,
    path: "/hooks/agent",
    body: agentBody,
    expectedStatus: 202,
  });
  const leaving = lab.start("waiters", String(alone.port), token, String(callers));
  await messageFrom(leaving);
  await lab.end(leaving);
  const staying = lab.start("waiters", String(waited.port), token, String(callers));
  await messageFrom(staying);
  const { rounds, seconds } = lab.effort;
  const contenders = [
    contenderOf("nobody waits", alone),
    contenderOf(`${callers} wait, ${callers} stream`, waited),
  ];
  const scores = await compare(lab, { contenders, rounds, seconds });
  if (staying.exitCode !== null) throw new Error("those who wait have left");
  await Promise.all([staying, alone.child, waited.child].map(lab.end));
  return scores;
}

const rateRow = ({ name, perSecond, ofRate }: Scores, store: StoreKind): Row =>
  row(`${name}, ${store}`, perSecond, "requests/s", {
    against: "nobody waits",
    ratio: ofRate,
    ...(name === "nobody waits" ? {} : { goal: { of: "ratio" as const, atLeast: 0.9 } }),
  });

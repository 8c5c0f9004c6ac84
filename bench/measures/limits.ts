// The largest allowed bodies, and a thousand open connections, compared with the bare server under the same load.
import { compare, type Contender, type Scores } from "../comparison.ts";
import type { Lab } from "../lab.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { startBareServer } from "../subjects/bare-server.ts";
import { startGateway } from "../subjects/gateway.ts";
import { agentBody, memoryRow } from "./accept.ts";

const largestBody = 262_144;
const connections = 1000;

/** As long as `hooks.maxBodyBytes` allows, of plain words. */
function largeBody(): string {
  const message = "the build of main is broken: 3 tests fail in payment/refund. ";
  const empty = JSON.stringify({ message: "", deliver: false });
  const remaining = largestBody - Buffer.byteLength(empty);
  return JSON.stringify({
    message: message
      .repeat(Math.ceil(remaining / message.length))
      .slice(0, remaining)
      .trim(),
    deliver: false,
  });
}

export const measureBodies = (lab: Lab): Promise<Result> =>
  measureUnder(lab, { name: "bodies", title: "Bodies of 256 KiB", body: largeBody(), connections: 64 });

export const measureConnections = (lab: Lab): Promise<Result> =>
  measureUnder(lab, { name: "connections", title: "1,000 open connections", body: agentBody, connections });

type Load = { name: string; title: string; body: string; connections: number };

async function measureUnder(lab: Lab, load: Load): Promise<Result> {
  const { body } = load;
  const bareServer = await startBareServer(lab);
  const contenders: Contender[] = [
    { name: "bare node:http", server: bareServer, path: "/hooks/agent", body, expectedStatus: 200 },
  ];
  for (const store of ["SQLite", "PostgreSQL"] as const) {
    const server = await startGateway(lab, { store });
    contenders.push({ name: `agent, ${store}`, server, path: "/hooks/agent", body, expectedStatus: 202 });
  }
  const { rounds, seconds } = lab.effort;
  const scores = await compare(lab, {
    contenders,
    rounds: Math.ceil(rounds / 2),
    seconds,
    connections: load.connections,
  });
  const [bare] = scores;
  return {
    name: load.name,
    title: load.title,
    rows: [...scores.map(rateRow), ...scores.map((each) => memoryRow(each, bare!))],
    notes: scores.map(
      ({ name, p50Ms, p99Ms }) => `${name}: p50 ${figure(p50Ms)} ms, p99 ${figure(p99Ms)} ms`,
    ),
  };
}

const rateRow = ({ name, perSecond, ofRate }: Scores): Row =>
  row(name, perSecond, "requests/s", { against: "bare node:http", ratio: ofRate });

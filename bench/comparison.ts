// Several servers take turns at the same load, because a shared machine changes its speed within minutes. The result
// for each is the median ratio between its turns and the neighbouring turns of the first server.
import { setTimeout as pause } from "node:timers/promises";
import { processorMicroseconds, residentMegabytes, type Lab } from "./lab.ts";
import type { LoadOrder, LoadResult } from "./processes/load.ts";
import { median, medianRatio } from "./statistics.ts";
import type { Gateway, GatewayReport } from "./subjects/gateway.ts";
import { token, type Subject } from "./subjects/subject.ts";

const restMs = 1000;

export type Contender = {
  name: string;
  server: Subject | Gateway;
  path: string;
  body: string;
  expectedStatus: number;
  token?: string;
  /** The secret by which each request is signed, as a delivery of its own. */
  signedWith?: string;
};

export type Scores = {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Median ratio to the first contender in neighbouring turns. */
  ofRate: number;
  ofP99: number;
  groupSize: number | null;
  /** Processor time per request of the whole process, threads included; a busy machine changes it little. */
  processorMicroseconds: number;
  residentMegabytes: number;
  withoutResponse: number;
  /** The ids in all responses. */
  ids: string[];
};

export type Comparison = {
  contenders: readonly Contender[];
  rounds: number;
  seconds: number;
  connections?: number;
  rate?: number | null;
};

type Taken = { result: LoadResult; report: GatewayReport | null; processorMicroseconds: number };
/** Two neighbouring turns. For the first contender both are the same turn. */
type Pair = { mine: Taken; first: Taken };

export async function compare(lab: Lab, comparison: Comparison): Promise<Scores[]> {
  const { contenders, rounds } = comparison;
  const [first, ...others] = contenders as [Contender, ...Contender[]];
  const pairs = new Map<Contender, Pair[]>(contenders.map((each) => [each, []]));
  const memory = new Map<Contender, number>();
  const turnOf = async (contender: Contender, round: number): Promise<Taken> => {
    lab.say(`${contender.name}: round ${round} of ${rounds}`);
    // Lets the previous server finish its background work.
    await pause(restMs);
    const turn = await takeTurn(lab, comparison, contender, round === 0);
    memory.set(contender, residentMegabytes(contender.server.child.pid));
    return turn;
  };
  for (let round = 0; round <= rounds; round++) {
    for (const at of others.keys()) {
      const other = others[(at + round) % others.length]!;
      const early = round % 2 === 0 ? await turnOf(first, round) : null;
      const mine = await turnOf(other, round);
      const base = early ?? (await turnOf(first, round));
      pairs.get(other)?.push({ mine, first: base });
      pairs.get(first)?.push({ mine: base, first: base });
    }
  }
  return contenders.map((each) => ({
    ...scoresOf(pairs.get(each)!, each === first ? others.length : 1),
    name: each.name,
    residentMegabytes: memory.get(each) ?? Number.NaN,
  }));
}

async function takeTurn(
  lab: Lab,
  comparison: Comparison,
  contender: Contender,
  warmUp: boolean,
): Promise<Taken> {
  const { server, path, body, expectedStatus, signedWith } = contender;
  const order: LoadOrder = {
    port: server.port,
    requests: [{ path, body, ...(signedWith !== undefined && { signedWith }) }],
    expectedStatus: [expectedStatus],
    token: contender.token ?? token,
    connections: comparison.connections ?? 64,
    seconds: warmUp ? Math.max(1, comparison.seconds / 2) : comparison.seconds,
    rate: comparison.rate ?? null,
    keepIds: true,
  };
  const asks = "report" in server;
  if (asks) await server.report();
  const before = processorMicroseconds(server.child.pid);
  const result = await lab.load(order);
  const took = processorMicroseconds(server.child.pid) - before;
  // With a wrong token, the first responses are 401 until the address reaches its limit and gets 429.
  if (result.unexpected > 0 && !warmUp)
    throw new Error(`${contender.name}: ${result.unexpected} responses like ${result.example}`);
  return { result, report: asks ? await server.report() : null, processorMicroseconds: took };
}

/** The first round has `warmUps` turns that warm up: their ids count, their times do not. */
function scoresOf(all: readonly Pair[], warmUps: number): Omit<Scores, "name" | "residentMegabytes"> {
  const pairs = all.slice(warmUps);
  const of = (pick: (result: LoadResult) => number): number[] => pairs.map(({ mine }) => pick(mine.result));
  const ratio = (pick: (result: LoadResult) => number): number =>
    medianRatio(
      of(pick),
      pairs.map(({ first }) => pick(first.result)),
    );
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const reports = pairs.flatMap(({ mine }) => mine.report ?? []);
  const groups = sum(reports.map(({ groups }) => groups));
  return {
    perSecond: median(of(({ perSecond }) => perSecond)),
    p50Ms: median(of(({ p50Ms }) => p50Ms)),
    p99Ms: median(of(({ p99Ms }) => p99Ms)),
    ofRate: ratio(({ perSecond }) => perSecond),
    ofP99: ratio(({ p99Ms }) => p99Ms),
    groupSize: groups > 0 ? sum(reports.map(({ members }) => members)) / groups : null,
    processorMicroseconds:
      sum(pairs.map(({ mine }) => mine.processorMicroseconds)) / sum(of(({ requests }) => requests)),
    withoutResponse: sum(of(({ withoutResponse }) => withoutResponse)),
    ids: all.flatMap(({ mine }) => mine.result.ids),
  };
}

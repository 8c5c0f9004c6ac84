// Contenders take turns at the same load, round by round, because a machine is never the same for two minutes. A
// ratio is taken inside each round, and the median of them counts.
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
};

export type Scores = {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the first contender's, in the same round. */
  ofRate: number;
  ofP99: number;
  groupSize: number | null;
  /** For each request, all of the process, its writer thread too: what a busy neighbour hardly changes. */
  processorMicroseconds: number;
  residentMegabytes: number;
  unanswered: number;
  /** Every id in an answer. */
  ids: string[];
};

export type Contest = {
  contenders: readonly Contender[];
  rounds: number;
  seconds: number;
  connections?: number;
  rate?: number | null;
};

type Taken = { result: LoadResult; report: GatewayReport | null; processorMicroseconds: number };

export async function compare(lab: Lab, contest: Contest): Promise<Scores[]> {
  const { contenders, rounds } = contest;
  const taken = new Map<Contender, Taken[]>(contenders.map((each) => [each, []]));
  const memory = new Map<Contender, number>();
  for (let round = 0; round <= rounds; round++) {
    // Another one begins each time, after a rest: whoever came next would else pay for what the last one left behind.
    for (const at of contenders.keys()) {
      const contender = contenders[(at + round) % contenders.length]!;
      lab.say(`${contender.name}: round ${round} of ${rounds}`);
      await pause(restMs);
      const turn = await takeTurn(lab, contest, contender, round === 0);
      memory.set(contender, residentMegabytes(contender.server.child.pid));
      taken.get(contender)?.push(turn);
    }
  }
  const first = contenders[0]!;
  return contenders.map((each) => ({
    ...scoresOf(taken.get(each)!, taken.get(first)!),
    name: each.name,
    residentMegabytes: memory.get(each) ?? Number.NaN,
  }));
}

async function takeTurn(lab: Lab, contest: Contest, contender: Contender, warmUp: boolean): Promise<Taken> {
  const { server, path, body, expectedStatus } = contender;
  const order: LoadOrder = {
    port: server.port,
    requests: [{ path, body }],
    expectedStatus: [expectedStatus],
    token: contender.token ?? token,
    connections: contest.connections ?? 64,
    seconds: warmUp ? Math.max(1, contest.seconds / 2) : contest.seconds,
    rate: contest.rate ?? null,
    keepIds: true,
  };
  const asks = "report" in server;
  if (asks) await server.report();
  const before = processorMicroseconds(server.child.pid);
  const result = await lab.load(order);
  const took = processorMicroseconds(server.child.pid) - before;
  // An address that guesses tokens is told 401 until it is over its limit.
  if (result.unexpected > 0 && !warmUp)
    throw new Error(`${contender.name}: ${result.unexpected} answers like ${result.example}`);
  return { result, report: asks ? await server.report() : null, processorMicroseconds: took };
}

/** The first round warms up; only the ids of its answers count. */
function scoresOf(
  all: readonly Taken[],
  first: readonly Taken[],
): Omit<Scores, "name" | "residentMegabytes"> {
  const mine = all.slice(1);
  const of = (pick: (result: LoadResult) => number, from = mine): number[] =>
    from.map(({ result }) => pick(result));
  const sum = (pick: (report: GatewayReport) => number): number =>
    mine.reduce((total, { report }) => total + (report ? pick(report) : 0), 0);
  const requests = of(({ requests }) => requests).reduce((a, b) => a + b, 0);
  const base = first.slice(1);
  return {
    perSecond: median(of(({ perSecond }) => perSecond)),
    p50Ms: median(of(({ p50Ms }) => p50Ms)),
    p99Ms: median(of(({ p99Ms }) => p99Ms)),
    ofRate: medianRatio(
      of(({ perSecond }) => perSecond),
      of(({ perSecond }) => perSecond, base),
    ),
    ofP99: medianRatio(
      of(({ p99Ms }) => p99Ms),
      of(({ p99Ms }) => p99Ms, base),
    ),
    groupSize:
      sum(({ groups }) => groups) > 0 ? sum(({ members }) => members) / sum(({ groups }) => groups) : null,
    processorMicroseconds: mine.reduce((total, each) => total + each.processorMicroseconds, 0) / requests,
    unanswered: of(({ unanswered }) => unanswered).reduce((a, b) => a + b, 0),
    ids: all.flatMap(({ result }) => result.ids),
  };
}

// Accepting: durable wakes and agent runs on both stores, compared with a bare node:http server, with the same server
// flushing to disk, and with two other gateways, which store nothing. First the highest rate, then the latency at shares
// of the rate that all of ours can keep. At the end our gateways are killed, and every id they sent must be in its store.
import { compare, type Contender, type Scores } from "../comparison.ts";
import type { Lab } from "../lab.ts";
import { figure, row, type Goal, type Result, type Row } from "../row.ts";
import { startBareServer } from "../subjects/bare-server.ts";
import { startGateway, type Gateway } from "../subjects/gateway.ts";
import { findOpenclaw } from "../subjects/openclaw.ts";
import { findWebhook } from "../subjects/webhook.ts";

export const wakeBody = JSON.stringify({
  text: "the build of main is broken: 3 tests fail in payment/refund",
  mode: "now",
});
export const agentBody = JSON.stringify({
  message: "the build of main is broken: 3 tests fail in payment/refund; find out why",
  name: "CI",
  deliver: false,
});
/** For the other gateways, in their favour: this wake leads to no further work. */
const quietBody = JSON.stringify({ ...JSON.parse(wakeBody), mode: "next-heartbeat" });

const goals: Record<string, number> = {
  "wake, SQLite": 0.75,
  "agent, SQLite": 0.65,
  "wake, PostgreSQL": 0.6,
  "agent, PostgreSQL": 0.6,
};
/** Shares of the highest rate of our slowest case. */
const shares = [0.1, 0.25, 0.5];

const goalOf = (name: string): { goal?: Goal } =>
  goals[name] === undefined ? {} : { goal: { of: "ratio", atLeast: goals[name] } };

export async function measureAccept(lab: Lab): Promise<Result> {
  const bareServer = await startBareServer(lab);
  const flushing = await startBareServer(lab, { flushes: true });
  const gateways = [
    await startGateway(lab, { store: "SQLite" }),
    await startGateway(lab, { store: "PostgreSQL" }),
  ];
  const bare = {
    name: "bare node:http",
    server: bareServer,
    path: "/hooks/wake",
    body: wakeBody,
    expectedStatus: 200,
  };
  const flushed = { ...bare, name: "bare node:http, flushed", server: flushing };
  const ours = gateways.flatMap((server): Contender[] => [
    { name: `wake, ${server.store}`, server, path: "/hooks/wake", body: wakeBody, expectedStatus: 200 },
    { name: `agent, ${server.store}`, server, path: "/hooks/agent", body: agentBody, expectedStatus: 202 },
  ]);
  const refused: Contender = { ...ours[0]!, name: "wrong token", expectedStatus: 429, token: "wrong" };

  const { rounds, seconds } = lab.effort;
  const peaks = await compare(lab, { contenders: [bare, flushed, ...ours, refused], rounds, seconds });
  const served = peaks.filter(({ name }) => name !== refused.name);
  const loads: Load[] = [];
  for (const share of shares) {
    const rate = Math.round(slowestOf(peaks) * share);
    loads.push({ share, rate, waits: await compareWaits(lab, [bare, flushed, ...ours], rate) });
  }
  const others = await measureRivals(lab, bare, ours[0]!, loads.at(-1)!);

  const verified = [];
  for (const gateway of gateways)
    verified.push(
      await verify(lab, gateway, [...peaks, ...loads.flatMap(({ waits }) => waits), others.wake]),
    );
  return {
    name: "accept",
    title: "Accepting",
    rows: [
      ...peaks.map(rateRow),
      ...others.peaks.map(rateRow),
      ...others.peaks.map((each) => againstRow(others.wake, each)),
      ...[...served, ...others.peaks].map((each) => waitRow(each, "at its highest rate")),
      ...loads.flatMap(waitRows),
      ...waitRows({ ...loads.at(-1)!, waits: others.waits }),
      ...[...served, ...others.peaks].map((each) => memoryRow(each, peaks[0]!)),
    ],
    notes: [
      ...verified,
      ...[...peaks, ...others.peaks].map(costNote),
      ...others.missing.map((each) => `missing: ${each}`),
    ],
  };
}

/** Latencies at one rate. */
type Load = { share: number; rate: number; waits: Scores[] };

/** Fewer turns, three times as long: in a turn of two seconds a single pause of 20 ms decides the p99. */
function compareWaits(lab: Lab, contenders: readonly Contender[], rate: number): Promise<Scores[]> {
  const { rounds, seconds } = lab.effort;
  return compare(lab, { contenders, rounds: Math.ceil(rounds * 0.6), seconds: seconds * 3, rate });
}

type Others = {
  /** Highest rates of the rivals. */
  peaks: Scores[];
  /** Latencies of the rivals that can keep the rate. */
  waits: Scores[];
  /** Our own wake in the same comparison. */
  wake: Scores;
  missing: string[];
};

/** A separate comparison, because openclaw goes on working after its turn and slows the next one. */
async function measureRivals(
  lab: Lab,
  bare: Contender,
  wake: Contender,
  { rate }: Pick<Load, "rate">,
): Promise<Others> {
  const { rivals, missing } = await startRivals(lab);
  const { rounds, seconds } = lab.effort;
  const [, own, ...peaks] = await compare(lab, { contenders: [bare, wake, ...rivals], rounds, seconds });
  const keeping: Contender[] = [];
  for (const [at, rival] of rivals.entries())
    if (peaks[at]!.perSecond > rate * 1.2) keeping.push(rival);
    else await lab.end(rival.server.child);
  const [, ...waits] = await compareWaits(lab, [bare, ...keeping], rate);
  for (const rival of rivals) await lab.end(rival.server.child);
  return { peaks, waits, wake: own!, missing };
}

async function startRivals(lab: Lab): Promise<{ rivals: Contender[]; missing: string[] }> {
  const rivals: Contender[] = [];
  const missing: string[] = [];
  for (const rival of [findWebhook(), findOpenclaw()]) {
    if (!rival.found) {
      missing.push(rival.missing);
      continue;
    }
    const name = `${rival.name} ${rival.version}, wake, not stored`;
    lab.say(`starting ${rival.name}`);
    const server = await rival.start(lab);
    rivals.push({ name, server, path: "/hooks/wake", body: quietBody, expectedStatus: 200 });
  }
  return { rivals, missing };
}

const slowestOf = (peaks: readonly Scores[]): number =>
  Math.min(...peaks.filter(({ name }) => name in goals).map(({ perSecond }) => perSecond));

const rateRow = ({ name, perSecond, ofRate }: Scores): Row =>
  row(name, perSecond, "requests/s", { against: "bare node:http", ratio: ofRate, ...goalOf(name) });

const againstRow = (ours: Scores, theirs: Scores): Row =>
  row(ours.name, ours.perSecond, "requests/s", {
    against: theirs.name,
    ratio: ours.ofRate / theirs.ofRate,
  });

const waitRow = ({ name, p99Ms, ofP99 }: Scores, load: string): Row =>
  row(`p99 ${load}: ${name}`, p99Ms, "ms", {
    against: "bare node:http",
    ratio: ofP99,
    ...(name in goals && { goal: { of: "ratio", atMost: 3 } }),
  });

const waitRows = ({ share, rate, waits }: Load): Row[] =>
  waits.map((each) => waitRow(each, `at ${figure(rate)}/s (${share * 100} %)`));

export const memoryRow = (scores: Scores, bareServer: Scores): Row =>
  row(`memory: ${scores.name}`, scores.residentMegabytes, "MB", {
    against: bareServer.name,
    ratio: scores.residentMegabytes / bareServer.residentMegabytes,
  });

const costNote = ({ name, groupSize, processorMicroseconds }: Scores): string =>
  [
    `${name}, at its highest rate: ${Math.round(processorMicroseconds)} µs of processor time a request`,
    ...(groupSize === null ? [] : [`${figure(groupSize)} requests a commit`]),
  ].join(", ");

/** Kills the gateway instead of stopping it, so that only what was on disk before the response is found. */
async function verify(lab: Lab, gateway: Gateway, scores: readonly Scores[]): Promise<string> {
  await lab.end(gateway.child);
  const stored = await gateway.storedIds();
  const accepted = scores.filter(({ name }) => name.endsWith(gateway.store)).flatMap(({ ids }) => ids);
  const lost = accepted.filter((id) => !stored.has(id)).length;
  if (lost > 0)
    throw new Error(`${lost} of ${accepted.length} accepted requests are not in ${gateway.store}`);
  if (accepted.length === 0) throw new Error(`no accepted request of ${gateway.store} had an id`);
  return `verified after kill -9: each of ${figure(accepted.length)} accepted requests is in ${gateway.store}`;
}

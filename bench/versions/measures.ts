// What two versions are compared in. Servers of one measure and store run beside each other; only one has work.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { agentOrder, arrivalsAt, firstByteWaits } from "../first-byte.ts";
import { residentMegabytes, type Lab } from "../lab.ts";
import { agentBody, wakeBody } from "../measures/accept.ts";
import type { LoadOrder, LoadResult } from "../processes/load.ts";
import { figure, type Row } from "../row.ts";
import { writeConfig, type StoreKind } from "../subjects/gateway.ts";
import { pairedRow, takePairs, type Pair, type Side, type Sides, type Turns } from "./pairs.ts";
import { portOf, serve, startServer, type Server, type ServerOptions } from "./server.ts";

const slots = 64;
const drainMs = 60_000;
const pollMs = 20;
const idleMs = 2000;

type RequestKind = "wake" | "agent" | "mapping" | "transform";

const requestsOf: Record<RequestKind, Partial<LoadOrder>> = {
  wake: { requests: [{ path: "/hooks/wake", body: wakeBody }], expectedStatus: [200] },
  agent: {},
  mapping: { requests: [{ path: "/hooks/mapping", body: agentBody }] },
  transform: { requests: [{ path: "/hooks/transform", body: agentBody }] },
};

/** A mapping, and the same with the least that a transform can do. */
function mappingsOf(lab: Lab): object {
  const transformsDir = lab.folder();
  const module = "trivial.mjs";
  writeFileSync(join(transformsDir, module), "export default ({ payload }) => ({ name: payload.name });");
  const mapping = { messageTemplate: "{{ message }}", name: "{{ name }}", deliver: false };
  return {
    transformsDir,
    mappings: [
      { match: { path: "mapping" }, ...mapping },
      { match: { path: "transform" }, ...mapping, transform: { module } },
    ],
  };
}

/** Requests accepted a second, with an agent that never replies. */
export async function measureRequests(
  kind: RequestKind,
  lab: Lab,
  sides: Sides,
  store: StoreKind,
  { pairs, seconds }: Turns,
): Promise<Row[]> {
  const name = `accepted: ${kind}, ${store}`;
  const hooks = kind === "mapping" || kind === "transform" ? mappingsOf(lab) : {};
  const servers = await startBoth(lab, sides, { store, manner: "hold", hooks });
  const orderOf = (server: Server, length: number): LoadOrder => ({
    ...agentOrder(server, { body: agentBody, rate: null, seconds: seconds * length }),
    ...requestsOf[kind],
  });
  const costs = createCosts();
  const turns = await takePairs(pairs, async (side, pair, length) => {
    lab.say(`${name}: pair ${pair} of ${pairs}`);
    const load = () => loadOf(lab, orderOf(servers[side], length));
    return (await costs.note(side, servers[side], load)).perSecond;
  });
  await endBoth(lab, servers);
  const against = sides.theirs.name;
  return [
    pairedRow(name, "requests/s", against, turns),
    pairedRow(`processor time per request: ${kind}, ${store}`, "µs", against, costs.pairs()),
  ];
}

/** Runs a second from the first POST until the last one's end is stored, with an agent that replies at once. */
export async function measureRuns(
  lab: Lab,
  sides: Sides,
  store: StoreKind,
  { pairs, seconds }: Turns,
): Promise<Row[]> {
  const name = `runs, POST to stored end: ${store}`;
  const servers = await startBoth(lab, sides, { store, manner: "reply", maxConcurrent: slots });
  const costs = createCosts();
  const turns = await takePairs(pairs, async (side, pair, length) => {
    lab.say(`${name}: pair ${pair} of ${pairs}`);
    const work = () => workOff(lab, servers[side], (seconds / 2) * length);
    return (await costs.note(side, servers[side], work)).perSecond;
  });
  await endBoth(lab, servers);
  const against = sides.theirs.name;
  return [
    pairedRow(name, "runs/s", against, turns),
    pairedRow(`processor time per run: ${store}`, "µs", against, costs.pairs()),
  ];
}

type Done = { requests: number; perSecond: number };

async function workOff(lab: Lab, server: Server, seconds: number): Promise<Done> {
  const startedAt = performance.now();
  const { requests } = await loadOf(lab, agentOrder(server, { body: agentBody, rate: null, seconds }));
  for (let arrived = 0; arrived < requests || (await server.hasUnfinished());) {
    if (arrived < requests) arrived += (await arrivalsAt(server.agent)).length;
    if (performance.now() - startedAt > drainMs)
      throw new Error(`${server.name}: ${requests} runs have not ended after ${drainMs} ms`);
    await pause(pollMs);
  }
  return { requests, perSecond: requests / ((performance.now() - startedAt) / 1000) };
}

/** Processor time of one request in each turn: a busy neighbour changes it far less than a rate. */
function createCosts() {
  const costs: Record<Side, number[]> = { ours: [], theirs: [] };
  return {
    async note<T extends { requests: number }>(
      side: Side,
      server: Server,
      work: () => Promise<T>,
    ): Promise<T> {
      const before = await server.processorMicroseconds();
      const done = await work();
      costs[side].push(((await server.processorMicroseconds()) - before) / done.requests);
      return done;
    },
    /** Without the pair that warms up. */
    pairs: (): Pair[] => costs.ours.map((ours, at) => ({ ours, theirs: costs.theirs[at]! })).slice(1),
  };
}

/** The p99 from a POST to the agent's first byte, at a tenth of the other version's highest rate. */
export async function measureFirstByte(
  lab: Lab,
  sides: Sides,
  store: StoreKind,
  { pairs, seconds }: Turns,
): Promise<Row[]> {
  const rate = Math.round((await peakOf(lab, sides, store, seconds)) / 10);
  const servers = await startBoth(lab, sides, { store, manner: "reply", maxConcurrent: slots });
  // V8 compiles for some tens of thousands of runs; until then a p99 is several times as high.
  for (const side of bothSides) await workOff(lab, servers[side], seconds * 2.5);
  const waits: Record<Side, number[]> = { ours: [], theirs: [] };
  const turns = await takePairs(pairs, async (side, pair) => {
    lab.say(`first byte, ${store}: pair ${pair} of ${pairs}`);
    const { agent } = servers[side];
    await arrivalsAt(agent);
    const order = agentOrder(servers[side], { body: agentBody, rate, seconds: seconds * 1.5 });
    const { p50Ms, p99Ms } = await firstByteWaits(lab, agent, order);
    if (pair > 0) waits[side].push(p50Ms);
    return p99Ms;
  });
  await endBoth(lab, servers);
  const medians = waits.ours.map((ours, at): Pair => ({ ours, theirs: waits.theirs[at]! }));
  const name = `POST to the agent's first byte at ${figure(rate)}/s, ${store}`;
  const against = sides.theirs.name;
  return [pairedRow(`p50 ${name}`, "ms", against, medians), pairedRow(`p99 ${name}`, "ms", against, turns)];
}

/** The same rate for both, so that their latencies can be compared. */
async function peakOf(lab: Lab, { theirs }: Sides, store: StoreKind, seconds: number): Promise<number> {
  const server = await startServer(lab, theirs, { store, manner: "hold" });
  const order = agentOrder(server, { body: agentBody, rate: null, seconds });
  await loadOf(lab, order);
  const { perSecond } = await loadOf(lab, order);
  await endServer(lab, server);
  return perSecond;
}

/** Time to ready, and the memory of a gateway that has been idle for a while. */
export async function measureStart(
  lab: Lab,
  sides: Sides,
  store: StoreKind,
  { pairs }: Turns,
): Promise<Row[]> {
  const files = { ours: await configOf(lab, store), theirs: await configOf(lab, store) };
  const megabytes: Record<Side, number[]> = { ours: [], theirs: [] };
  const ready = await takePairs(pairs, async (side, pair) => {
    lab.say(`start, ${store}: pair ${pair} of ${pairs}`);
    const startedAt = performance.now();
    const child = serve(lab, sides[side], files[side]);
    await portOf(child);
    const readyMs = performance.now() - startedAt;
    await pause(idleMs);
    if (pair > 0) megabytes[side].push(residentMegabytes(child.pid));
    await lab.end(child);
    return readyMs;
  });
  const memory = megabytes.ours.map((ours, at): Pair => ({ ours, theirs: megabytes.theirs[at]! }));
  return [
    pairedRow(`start to ready, ${store}`, "ms", sides.theirs.name, ready),
    pairedRow(`memory when idle, ${store}`, "MB", sides.theirs.name, memory),
  ];
}

const configOf = async (lab: Lab, store: StoreKind): Promise<string> =>
  writeConfig(lab, {}, store === "PostgreSQL" ? await lab.databases.create() : null).file;

const bothSides = ["theirs", "ours"] as const;

const startBoth = async (lab: Lab, { ours, theirs }: Sides, options: ServerOptions) => ({
  theirs: await startServer(lab, theirs, options),
  ours: await startServer(lab, ours, options),
});

async function endBoth(lab: Lab, servers: Record<Side, Server>): Promise<void> {
  for (const side of bothSides) await endServer(lab, servers[side]);
}

async function endServer(lab: Lab, { child, agent }: Server): Promise<void> {
  await lab.end(child);
  await lab.end(agent.child);
}

async function loadOf(lab: Lab, order: LoadOrder): Promise<LoadResult> {
  const result = await lab.load(order);
  if (result.unexpected > 0) throw new Error(`${result.unexpected} responses like ${result.example}`);
  return result;
}

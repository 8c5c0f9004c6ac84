// Mappings: whether ten thousand of them cost a request more than one does, in the gateway and in the matcher by itself.
import type { MatchConfig } from "../../src/config/config.ts";
import { createMatcher, type Matchable } from "../../src/hooks/mapping/match.ts";
import type { MappedRequest } from "../../src/hooks/mapping/request.ts";
import { compare, type Contender } from "../comparison.ts";
import type { Lab } from "../lab.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median, medianRatio } from "../statistics.ts";
import { startGateway } from "../subjects/gateway.ts";
import { agentBody } from "./accept.ts";

const sizes = [1, 100, 10_000];
const body = JSON.stringify({
  repository: "acme/shop",
  author: { name: "Eve" },
  text: "the build of main is broken: 3 tests fail in payment/refund",
});
const nameOf = (size: number): string => (size === 1 ? "one mapping" : `${figure(size)} mappings`);

export async function measureMappings(lab: Lab): Promise<Result> {
  const contenders = await Promise.all(sizes.map((size) => contenderWith(lab, size)));
  const builtIn = { ...contenders[0]!, name: "agent, built in", path: "/hooks/agent", body: agentBody };
  const { rounds, seconds } = lab.effort;
  const scores = await compare(lab, { contenders: [...contenders, builtIn], rounds, seconds });
  const against = nameOf(1);
  return {
    name: "mappings",
    title: "Mappings",
    rows: [
      ...scores.map(({ name, perSecond, ofRate }) =>
        row(name, perSecond, "requests/s", { against, ratio: ofRate }),
      ),
      ...scores.slice(0, sizes.length).map(({ name, residentMegabytes }) =>
        row(`memory: ${name}`, residentMegabytes, "MB", {
          against,
          ratio: residentMegabytes / scores[0]!.residentMegabytes,
        }),
      ),
      ...measureMatcher("path", byPath),
      ...measureMatcher("source", bySource),
    ],
    notes: scores.map(
      ({ name, processorMicroseconds }) =>
        `${name}: ${Math.round(processorMicroseconds)} µs of processor time a request`,
    ),
  };
}

/** Requests go to the last mapping. */
async function contenderWith(lab: Lab, size: number): Promise<Contender> {
  const mappings = Array.from({ length: size }, (_, at) => ({
    match: { path: `hook-${at}` },
    name: "CI",
    messageTemplate: "{{ author.name }} pushed to {{ repository }}: {{ text }}. Find out what is wrong.",
    deliver: false,
  }));
  const server = await startGateway(lab, { store: "SQLite", hooks: { mappings } });
  return { name: nameOf(size), server, path: `/hooks/hook-${size - 1}`, body, expectedStatus: 202 };
}

const requestsEach = 64;
const calls = 20_000;
const matcherRounds = 15;

function measureMatcher(kind: string, matchOf: (at: number) => Made): Row[] {
  const lookUps = sizes.map((size) => lookUpsAmong(size, matchOf));
  const times = lookUps.map((): number[] => []);
  for (let round = 0; round <= matcherRounds; round++) {
    for (const [at, lookUp] of lookUps.entries()) {
      const nanoseconds = lookUp();
      // The first round warms up.
      if (round > 0) times[at]?.push(nanoseconds / 1000);
    }
  }
  const [one = [], ...more] = times;
  return more.map((mine, at) =>
    row(`look-up by ${kind} among ${nameOf(sizes[at + 1]!)}`, median(mine), "µs", {
      against: nameOf(1),
      ratio: medianRatio(mine, one),
    }),
  );
}

type Made = { match: Pick<MatchConfig, "path" | "source">; request: Pick<MappedRequest, "name" | "payload"> };

const byPath = (at: number): Made => ({
  match: { path: `hook-${at}`, source: null },
  request: { name: `hook-${at}`, payload: { text: "x" } },
});

const bySource = (at: number): Made => ({
  match: { path: null, source: `source-${at}` },
  request: { name: "in", payload: { source: `source-${at}`, text: "x" } },
});

/** Nanoseconds for each look-up, in one round over requests that are spread over all mappings. */
function lookUpsAmong(size: number, matchOf: (at: number) => Made): () => number {
  const mappings: Matchable[] = Array.from({ length: size }, (_, at) => ({
    id: `mapping-${at}`,
    match: { ...matchOf(at).match, events: null, headers: [], payload: [] },
  }));
  const requests = Array.from({ length: requestsEach }, (_, at): MappedRequest => {
    const { request } = matchOf(Math.floor((at * size) / requestsEach));
    return { ...request, headers: {}, query: {}, now: "2026-01-01T00:00:00.000Z" };
  });
  const matcher = createMatcher(mappings);
  return () => {
    const startedAt = process.hrtime.bigint();
    for (let at = 0; at < calls; at++) {
      if (matcher.find(requests[at % requestsEach]!).kind !== "found")
        throw new Error("a lookup found nothing");
    }
    return Number(process.hrtime.bigint() - startedAt) / calls;
  };
}

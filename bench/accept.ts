// Accepting: durable wakes and agent runs against the floor, in interleaved warm rounds.
import { median } from "./statistics.ts";
import { reportOf, runLoad, token, type GroupReport, type Measured } from "./processes.ts";
import type { LoadOrder, LoadResult } from "./load.ts";

export type Contender = {
  name: string;
  server: Measured;
  path: string;
  body: string;
  expectedStatus: number;
  token?: string;
};

export type Scores = {
  name: string;
  /** Median over the rounds of this contender's rate divided by the first one's in the same round. */
  ratio: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  groupSize: number | null;
};

export const wakeBody = JSON.stringify({
  text: "the build of main is broken: 3 tests fail in payment/refund",
  mode: "now",
});
export const agentBody = JSON.stringify({
  message: "the build of main is broken: 3 tests fail in payment/refund; find out why",
  name: "CI",
  deliver: false,
});

export async function compare(
  contenders: readonly Contender[],
  rounds: number,
  seconds: number,
): Promise<Scores[]> {
  const results = new Map<string, LoadResult[]>(contenders.map(({ name }) => [name, []]));
  const groups = new Map<string, GroupReport[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const { name, server, path, body, expectedStatus } = contender;
      const order: LoadOrder = {
        port: server.port,
        path,
        body,
        expectedStatus,
        token: contender.token ?? token,
        connections: 64,
        seconds: round === 0 ? Math.max(1, seconds / 2) : seconds,
      };
      const isGateway = contender !== contenders[0];
      if (isGateway) await reportOf(server);
      const result = await runLoad(order);
      if (result.unexpected > 0 && round > 0)
        throw new Error(`${name}: ${result.unexpected} answers were not ${expectedStatus}`);
      // The first round warms up.
      if (round === 0) continue;
      results.get(name)?.push(result);
      if (isGateway) groups.get(name)?.push(await reportOf(server));
    }
    process.stderr.write(`\rround ${round} of ${rounds} `);
  }
  process.stderr.write("\r\u001b[K");
  const floor = results.get(contenders[0]?.name ?? "") ?? [];
  return contenders.map(({ name }) => {
    const mine = results.get(name) ?? [];
    const reports = groups.get(name) ?? [];
    const commits = reports.reduce((sum, each) => sum + each.groups, 0);
    return {
      name,
      ratio: median(mine.map((each, round) => each.perSecond / (floor[round]?.perSecond ?? Number.NaN))),
      perSecond: median(mine.map((each) => each.perSecond)),
      p50Ms: median(mine.map((each) => each.p50Ms)),
      p99Ms: median(mine.map((each) => each.p99Ms)),
      groupSize: commits > 0 ? reports.reduce((sum, each) => sum + each.members, 0) / commits : null,
    };
  });
}

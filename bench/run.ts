// npm run bench: every figure is a ratio inside one run, so that another machine gives about the same.
import { parseArgs } from "node:util";
import { agentBody, compare, wakeBody, type Scores } from "./accept.ts";
import { measureGrowth } from "./growth.ts";
import { cleanUp, startFloor, startMeasuredGateway, writeConfig } from "./processes.ts";
import { measureStart } from "./start.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const wanted = (name: string): boolean => values.only === undefined || values.only === name;

const number = (value: number, digits = 2): string => value.toFixed(digits);

function table(scores: readonly Scores[]): void {
  console.table(
    Object.fromEntries(
      scores.map(({ name, ratio, perSecond, p50Ms, p99Ms, groupSize }) => [
        name,
        {
          "of the floor": number(ratio),
          "requests/s": Math.round(perSecond),
          "p50 ms": number(p50Ms),
          "p99 ms": number(p99Ms),
          "requests a commit": groupSize === null ? "-" : number(groupSize, 1),
        },
      ]),
    ),
  );
}

async function accepting(): Promise<void> {
  console.log(`\nAccepting on SQLite, 64 connections, ${rounds} rounds of ${seconds} s, medians`);
  const floor = await startFloor();
  const gateway = await startMeasuredGateway(writeConfig());
  const scores = await compare(
    [
      {
        name: "floor: bare node:http",
        server: floor,
        path: "/hooks/wake",
        body: wakeBody,
        expectedStatus: 200,
      },
      { name: "wake, durable", server: gateway, path: "/hooks/wake", body: wakeBody, expectedStatus: 200 },
      { name: "agent, durable", server: gateway, path: "/hooks/agent", body: agentBody, expectedStatus: 202 },
      {
        name: "wrong token",
        server: gateway,
        path: "/hooks/wake",
        body: wakeBody,
        expectedStatus: 429,
        token: "wrong",
      },
    ],
    rounds,
    seconds,
  );
  table(scores);
}

try {
  if (wanted("start")) await measureStart();
  if (wanted("accept")) await accepting();
  if (wanted("growth")) await measureGrowth();
} finally {
  await cleanUp();
}

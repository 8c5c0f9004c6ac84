// npm run bench: figures are ratios inside one run, so that they are about the same on another machine.
import { readOptions } from "../test/support/options.ts";
import { createLab, type Effort, type Lab } from "./lab.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { writeDocument } from "./document.ts";
import { measureAccept } from "./measures/accept.ts";
import { measureGrowth } from "./measures/growth.ts";
import { measureLedger } from "./measures/ledger.ts";
import { measureLists } from "./measures/lists.ts";
import { measureLatency } from "./measures/latency.ts";
import { measureBodies, measureConnections } from "./measures/limits.ts";
import { measureMappings } from "./measures/mappings.ts";
import { measureQueue } from "./measures/queue.ts";
import { measureResults } from "./measures/results.ts";
import { measureRivals } from "./measures/rivals.ts";
import { measureSenders } from "./measures/senders.ts";
import { measureSoak } from "./measures/soak.ts";
import { measureStart } from "./measures/start.ts";
import { rivalVersion } from "./queue/rival.ts";
import { table, writeResults } from "./report.ts";
import type { Result } from "./row.ts";
import { measureNoise, noiseNote } from "./noise.ts";
import { findOpenclaw } from "./subjects/openclaw.ts";
import { storeKinds } from "./subjects/gateway.ts";
import { findWebhook } from "./subjects/webhook.ts";
import { compareVersions, versionMeasures } from "./versions/compare.ts";

const measures: Record<string, (lab: Lab) => Promise<Result>> = {
  accept: measureAccept,
  queue: measureQueue,
  latency: measureLatency,
  growth: measureGrowth,
  lists: measureLists,
  mappings: measureMappings,
  ledger: measureLedger,
  senders: measureSenders,
  results: measureResults,
  bodies: measureBodies,
  connections: measureConnections,
  start: measureStart,
  soak: measureSoak,
  rivals: measureRivals,
};

const efforts: Record<"quick" | "usual" | "full", Effort> = {
  quick: {
    rounds: 2,
    seconds: 1.5,
    queued: 20_000,
    queueSeconds: 3,
    queueTurns: 1,
    stored: 100_000,
    soakMinutes: 0.5,
  },
  usual: {
    rounds: 8,
    seconds: 2,
    queued: 100_000,
    queueSeconds: 25,
    queueTurns: 1,
    stored: 1_000_000,
    soakMinutes: 1,
  },
  full: {
    rounds: 15,
    seconds: 3,
    queued: 100_000,
    queueSeconds: null,
    queueTurns: 1,
    stored: 1_000_000,
    soakMinutes: 10,
  },
};

/** How long the noise of the machine is measured, before and after each measurement. */
const noiseMs = 3000;

const usage = `npm run bench -- [--quick | --full] [--only NAME,NAME] [--rounds N] [--seconds N] [--minutes N]
  [--write] [--profile FOLDER]

Measures ${Object.keys(measures).join(", ")}. --write also writes bench/results/<day>.md, with plots.

npm run bench -- --against REF [--of REF] [--only NAME,NAME] [--store SQLite|PostgreSQL] [--pairs N] [--seconds N]

Compares this checkout, or --of, with another version in neighbouring turns. REF is a commit, or a folder that is
written with its / or ./ in front. Measures ${Object.keys(versionMeasures).join(", ")}.`;

const values = readOptions(usage, {
  only: { type: "string" },
  against: { type: "string" },
  of: { type: "string" },
  store: { type: "string" },
  pairs: { type: "string", default: "8" },
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  rounds: { type: "string" },
  seconds: { type: "string" },
  minutes: { type: "string" },
  profile: { type: "string" },
});

const effort: Effort = {
  ...efforts[values.quick ? "quick" : values.full ? "full" : "usual"],
  ...(values.rounds !== undefined && { rounds: Number(values.rounds) }),
  ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
  ...(values.minutes !== undefined && { soakMinutes: Number(values.minutes) }),
};
const { against } = values;
const known = Object.keys(against === undefined ? measures : versionMeasures);
const names = values.only?.split(",") ?? known;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) fail(`There is no ${unknown.join(", ")}.`);
const stores = storeKinds.filter((kind) => values.store === undefined || kind === values.store);
if (stores.length === 0) fail(`There is no store ${values.store}.`);

await (against === undefined ? measureAll() : measureAgainst(against));

async function measureAll(): Promise<void> {
  const results: Result[] = [];
  const machine = await inLab(describe);
  for (const name of names) {
    results.push(await withNoise(() => inLab((lab) => measures[name]!(lab))));
    writeResults("latest", machine, results);
  }
  if (values.write) writeDocument(machine, results);
  console.log(table(results));
}

async function measureAgainst(against: string): Promise<void> {
  const turns = { pairs: Number(values.pairs), seconds: Number(values.seconds ?? 1.5) };
  const comparison = { ...turns, against, of: values.of, only: names, stores };
  await inLab(async (lab) => {
    const result = await withNoise(() => compareVersions(lab, comparison));
    writeResults("latest-against", await describe(lab), [result]);
    console.log(table([result]));
  });
}

async function withNoise(measure: () => Promise<Result>): Promise<Result> {
  const before = measureNoise(noiseMs);
  const result = await measure();
  const noise = noiseNote(before, measureNoise(noiseMs));
  return { ...result, notes: [...result.notes, noise] };
}

function describe(lab: Lab): Promise<Machine> {
  return describeMachine(() => lab.databases.version(), rivalVersions());
}

function fail(message: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

function rivalVersions(): Record<string, string | null> {
  const installed = Object.entries({ webhook: findWebhook(), openclaw: findOpenclaw() });
  return {
    ...Object.fromEntries(installed.map(([name, rival]) => [name, rival.found ? rival.version : null])),
    "graphile-worker": rivalVersion("graphile-worker"),
    "pg-boss": rivalVersion("pg-boss"),
  };
}

/** Every measurement has its own lab, so that leftovers of one cannot slow the next. */
async function inLab<T>(work: (lab: Lab) => Promise<T>): Promise<T> {
  const lab = createLab(effort, values.profile === undefined ? {} : { profileFolder: values.profile });
  const stop = (): void => void lab.close().then(() => process.exit(130));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    return await work(lab);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    await lab.close();
  }
}

// First every property, with many more cases than in a test run and a new seed; then requests against a running
// gateway. `--input N` only shows that input of the seed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { casesVariable, seedVariable } from "../support/cases.ts";
import { propertyFiles } from "../support/properties.ts";
import { readOptions } from "../support/options.ts";
import { createDatabase, postgresVariable, startPostgres } from "../support/postgres.ts";
import { randomSeed } from "../support/random.ts";
import { loadCorpus } from "./corpus.ts";
import { token } from "./gateway.ts";
import { inputOf, shown } from "./input.ts";
import { describe, fuzzRequests } from "./requests.ts";

const usage = `npm run fuzz -- [--minutes N] [--requests N] [--seed N] [--store sqlite|postgres]
  [--what parsers|requests] [--input N]`;

const values = readOptions(usage, {
  minutes: { type: "string" },
  requests: { type: "string" },
  seed: { type: "string", default: String(randomSeed()) },
  store: { type: "string", default: "sqlite" },
  what: { type: "string" },
  input: { type: "string" },
});
const seed = Number(values.seed);
const isWanted = (what: string): boolean => values.what === undefined || values.what === what;
const timesAsMany = 20;

function show(number: number): void {
  const input = inputOf(seed, number, loadCorpus(token, true).inputs);
  const { bytes: _, ...about } =
    input.kind === "whole" ? input.whole : input.kind === "hostile" ? input.hostile : { bytes: input.raw };
  console.log(input.kind, about, shown(input));
}

async function parsers(): Promise<boolean> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const files = propertyFiles(cwd).map(({ path }) => path);
  const env = { ...process.env, [casesVariable]: String(timesAsMany), [seedVariable]: String(seed) };
  console.log(`seed ${seed}, ${files.length} files of properties`);
  const tests = spawn(process.execPath, ["--test", "--test-concurrency=2", ...files], {
    cwd,
    env,
    stdio: "inherit",
  });
  const [code] = (await once(tests, "exit")) as [number | null];
  return code === 0;
}

async function requests(): Promise<boolean> {
  const postgres = values.store === "postgres" ? await startPostgres() : null;
  if (postgres) process.env[postgresVariable] = postgres.url;
  const database = postgres ? await createDatabase() : null;
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  console.log(`seed ${seed}, store ${values.store}`);
  try {
    const result = await fuzzRequests({
      seed,
      requests: Number(values.requests ?? (values.minutes === undefined ? 100_000 : 1e9)),
      seconds: Number(values.minutes ?? 60) * 60,
      databaseUrl: database?.url ?? null,
      keep: true,
      signal: stopping.signal,
      progress: (line) => console.log(line),
    });
    const { faults, readings, outcomes, ...numbers } = result;
    console.table(outcomes);
    for (const each of readings) console.log(`after ${each.requests}: ${describe(each)}`);
    console.log(numbers);
    for (const fault of faults) console.error(fault);
    console.log(faults.length === 0 ? "nothing wrong" : `${faults.length} faults with --seed ${seed}`);
    return faults.length === 0;
  } finally {
    await database?.drop();
    await postgres?.stop();
  }
}

if (values.input !== undefined) show(Number(values.input));
else {
  const isGood = [
    isWanted("parsers") ? await parsers() : true,
    isWanted("requests") ? await requests() : true,
  ];
  process.exitCode = isGood.every(Boolean) ? 0 : 1;
}

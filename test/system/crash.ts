// The crash test: a stream of requests to a real gateway that is killed again and again, and then judged.
import { pathToFileURL } from "node:url";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { readOptions } from "../support/options.ts";
import { createDatabase, postgresVariable, startPostgres } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { createRandom, randomSeed } from "../support/random.ts";
import { faultsIn } from "./crash-check.ts";
import { pause, startLoad } from "./crash-load.ts";
import { createLab, type Lab, type Note, sendWake } from "./lab.ts";

export type CrashOptions = {
  kills: number;
  store: "sqlite" | "postgres";
  seed: number;
  progress?: (line: string) => void;
};

export type CrashResult = {
  faults: string[];
  sent: number;
  accepted: number;
  runs: number;
  succeeded: number;
  /** Attempts that a kill ended. */
  interrupted: number;
  /** Kills before the gateway was ready. */
  early: number;
};

const longestLifeMs = 2000;
/** The share of kills that hit a gateway that is still starting. */
const earlyShare = 0.15;
const maxAttempts = 50;
const leastPerKill = 10;

export async function crashTest(options: CrashOptions): Promise<CrashResult> {
  const database = options.store === "postgres" ? await createDatabase() : null;
  const lab = createLab({
    databaseUrl: database?.url ?? null,
    settings: { maxAttempts, ...(database && { leaseSeconds: 1 }) },
  });
  try {
    return await crashIn(lab, options);
  } finally {
    await lab.remove();
    await database?.drop();
  }
}

async function crashIn(lab: Lab, { kills, seed, progress }: CrashOptions): Promise<CrashResult> {
  const random = createRandom(seed);
  lab.setMoody(true);
  let address = Promise.withResolvers<string>();
  const load = startLoad({ address: () => address.promise, random: createRandom(seed + 1) });
  let early = 0;
  let startMs = 0;

  // On a slow machine a few more kills, until one has hit a running agent.
  const metNone = () => interruptedIn(lab.journal()) === 0;
  for (let kill = 1; kill <= kills || (kill <= 4 * kills && metNone()); kill++) {
    const gateway = lab.launch();
    let isReady = false;
    const startedAt = performance.now();
    const ready = gateway.ready.then(
      (url) => {
        isReady = true;
        startMs = performance.now() - startedAt;
        address.resolve(url);
      },
      () => {},
    );
    const killsEarly = startMs > 0 && random() < earlyShare;
    if (!killsEarly) await ready;
    await Promise.race([pause(random() * (killsEarly ? startMs : longestLifeMs)), gateway.exited]);
    await gateway.kill();
    const { code } = await gateway.exited;
    if (code !== null) throw new Error(`the gateway ended by itself (${code}):\n${gateway.output()}`);
    // When this gateway never gets ready, its callers wait for the next one.
    if (isReady) address = Promise.withResolvers<string>();
    else early++;
    progress?.(`killed ${kill} of ${kills}, ${load.sent.length} requests sent`);
  }

  const gateway = lab.launch();
  const url = await gateway.ready;
  address.resolve(url);
  // On a slow machine the time between kills may have been too short to accept much.
  const accepted = () => load.sent.filter(({ responses }) => responses.length > 0).length;
  await until("progress", () => accepted() >= kills * leastPerKill, { withinMs: 120_000 });
  await load.stop();
  await load.repeatAll();
  const store = await lab.openStore();
  const idle = () =>
    until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0, {
      withinMs: 180_000,
    });
  await idle();
  lab.setMoody(false);
  await sendWake(url, "the end");
  await idle();
  const { code } = await gateway.stop();

  const runs = (await store.listRuns({ kind: "hook", limit: null })).toReversed();
  const events = await store.listEvents({ limit: null });
  const journal = lab.journal();
  const { sent } = load;
  const faults = faultsIn({ sent, runs, events, journal, prompts: lab.prompts(), maxAttempts });
  if (code !== 0) faults.push(`the gateway ended with ${code}`);
  return {
    faults,
    sent: sent.length,
    accepted: accepted(),
    runs: runs.length,
    succeeded: runs.filter(({ status }) => status === "succeeded").length,
    interrupted: interruptedIn(journal),
    early,
  };
}

function interruptedIn(journal: readonly Note[]): number {
  const ends = new Set(journal.filter(({ kind }) => kind === "end").map(({ attempt }) => attempt));
  const starts = journal.filter(({ kind, sessionKey }) => kind === "start" && sessionKey !== "main");
  return starts.filter(({ attempt }) => !ends.has(attempt)).length;
}

export const describeResult = ({ faults, ...numbers }: CrashResult): string =>
  `${Object.entries(numbers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}; ${faults.length === 0 ? "nothing wrong" : `${faults.length} faults`}`;

async function main(): Promise<void> {
  const values = readOptions("npm run crash -- [--kills N] [--store sqlite|postgres] [--seed N]", {
    kills: { type: "string", default: "200" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: String(randomSeed()) },
  });
  const store = values.store === "postgres" ? "postgres" : "sqlite";
  const options = { kills: Number(values.kills), store, seed: Number(values.seed) } as const;
  console.log(`crash test: ${options.kills} kills on ${store}, seed ${options.seed}`);
  const server = store === "postgres" ? await startPostgres() : null;
  if (server) process.env[postgresVariable] = server.url;
  try {
    const result = await crashTest({ ...options, progress: (line) => console.log(line) });
    for (const fault of result.faults) console.log(`FAULT ${fault}`);
    console.log(describeResult(result));
    process.exitCode = result.faults.length === 0 ? 0 : 1;
  } finally {
    await server?.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

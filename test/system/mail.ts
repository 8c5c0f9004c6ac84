// The mail crash test: mails arrive at a fake Google while the gateways that watch it are killed again and again. In
// the end every mail must be exactly one run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { faultReplies, type FakeGoogle, startGoogle } from "../fakes/google.ts";
import { readOptions } from "../support/options.ts";
import { createDatabase, postgresVariable, startPostgres } from "../support/postgres.ts";
import { type GatewayProcess, launchGateway, until } from "../support/process.ts";
import { createRandom, randomSeed } from "../support/random.ts";
import { pause } from "./crash-load.ts";

export type MailCrashOptions = {
  mails: number;
  kills: number;
  store: "sqlite" | "postgres";
  nodes: number;
  mode: "poll" | "pull";
  seed: number;
  progress?: (line: string) => void;
};

export type MailCrashResult = {
  faults: string[];
  mails: number;
  runs: number;
  kills: number;
  /** Runs that were stored while gateways were being killed. */
  meanwhile: number;
  /** Kills that met a gateway that was not ready yet. */
  early: number;
  /** How often messages were read: more often than there are mails when work was repeated. */
  reads: number;
  seconds: number;
};

const longestLifeMs = 2500;
const earlyShare = 0.15;
const topic = "projects/fake-project/topics/mail";
const subscription = "projects/fake-project/subscriptions/mail";

export type MailLab = Awaited<ReturnType<typeof createMailLab>>;

/** A folder with a config that leads to a fake Google, and a store of its own. */
export async function createMailLab({ store, mode }: Pick<MailCrashOptions, "store" | "mode">) {
  const google = await startGoogle();
  google.pubsub.provision(topic, subscription);
  const database = store === "postgres" ? await createDatabase() : null;
  const folder = mkdtempSync(join(tmpdir(), "rouse-mail-"));
  const config = join(folder, "rouse.jsonc");
  const gmail = {
    account: google.account,
    credentialsFile: "gmail.json",
    mode,
    pollSeconds: 1,
    topic,
    subscription,
    endpoints: google.endpoints,
  };
  const settings = {
    hooks: { enabled: true, token: "mail-token-that-is-long-enough-for-anyone", gmail },
    agents: { maxAttempts: 100, defaults: { heartbeat: { every: "0" } } },
    store: { ...(database && { url: database.url }), leaseSeconds: 1 },
    log: { level: "info", format: "json" },
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  writeFileSync(join(folder, "gmail.json"), JSON.stringify(google.accounts.login), { mode: 0o600 });
  const started = new Set<GatewayProcess>();
  return {
    google,
    folder,
    file: join(folder, "rouse.db"),
    launch(): GatewayProcess {
      const gateway = launchGateway({ config });
      started.add(gateway);
      return gateway;
    },
    openStore: (): Promise<Store> =>
      database
        ? openPostgresStore({ url: database.url, migrate: false, connections: 1 })
        : openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock }),
    async remove(): Promise<void> {
      await Promise.all([...started].map((gateway) => gateway.kill()));
      await google.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function mailCrashTest(options: MailCrashOptions): Promise<MailCrashResult> {
  const lab = await createMailLab(options);
  try {
    return await crashIn(lab, options);
  } finally {
    await lab.remove();
  }
}

async function crashIn(lab: MailLab, options: MailCrashOptions): Promise<MailCrashResult> {
  const { mails, kills, nodes, seed, progress } = options;
  const random = createRandom(seed);
  const startedAt = performance.now();
  const { google } = lab;
  google.gmail.deliver({ subject: "from before" });
  const first = lab.launch();
  await first.ready;
  const store = await lab.openStore();
  try {
    await until("the first sync", async () => (await store.listMailAccounts())[0]?.cursor);
    const ids: string[] = [];
    const running = [first, ...Array.from({ length: nodes - 1 }, () => lab.launch())];
    const removeFaults = misbehave(google);
    let early = 0;
    let meanwhile = 0;
    // On a slow machine a few more kills, until something was stored between them.
    for (let kill = 1; kill <= kills || (kill <= 3 * kills && meanwhile === 0); kill++) {
      arrive(google, ids, Math.min(mails, Math.ceil((mails * kill) / kills)) - ids.length, random);
      const at = Math.floor(random() * nodes);
      const victim = running[at]!;
      const isReady = random() < earlyShare ? false : await victim.ready.then(() => true);
      if (!isReady) early++;
      await pause(random() * longestLifeMs);
      await victim.kill();
      google.accounts.endTokens();
      running[at] = lab.launch();
      meanwhile = (await keysIn(store)).length;
      progress?.(`killed ${kill} of ${kills}, ${ids.length} mails, ${meanwhile} runs`);
    }
    google.gmail.reveal();
    for (const undo of removeFaults) undo();
    await until("a run for every mail", async () => (await keysIn(store)).length >= ids.length, {
      withinMs: 120_000 + mails * 300,
      everyMs: 200,
    });
    await until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0, {
      withinMs: 180_000,
    });
    // A process that was only just started does not handle signals yet.
    await Promise.all(running.map((gateway) => gateway.ready));
    const codes = await Promise.all(running.map(async (gateway) => (await gateway.stop()).code));
    const faults = await faultsIn(store, ids);
    if (codes.some((code) => code !== 0)) faults.push(`a gateway ended with ${codes.join(" ")}`);
    return {
      faults,
      mails: ids.length,
      runs: (await keysIn(store)).length,
      kills,
      meanwhile,
      early,
      reads: google.count("/messages/"),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await store.close();
  }
}

/** Some of the requests fail, and hints come twice. */
function misbehave({ faults, pubsub }: FakeGoogle): (() => void)[] {
  pubsub.state.hints = "doubled";
  return [
    faults.add({ on: "/messages/", every: 29, reply: faultReplies.unavailable }),
    faults.add({ on: "/history", every: 13, reply: faultReplies.rateLimit }),
    faults.add({ on: "/token", every: 17, reset: true }),
  ];
}

/** Some mails become visible only when the next ones come. */
function arrive({ gmail }: FakeGoogle, ids: string[], count: number, random: () => number): void {
  gmail.reveal();
  for (let at = 0; at < count; at++) ids.push(gmail.deliver({ hidden: random() < 0.1 }));
}

const keysIn = async (store: Store): Promise<string[]> =>
  (await store.listRuns({ kind: "hook", limit: null })).map(({ sessionKey }) => sessionKey);

/** Every mail has one run, and there are no other runs. */
export async function faultsIn(store: Store, ids: readonly string[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const key of await keysIn(store)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const faults: string[] = [];
  for (const id of ids) {
    const count = counts.get(`hook:gmail:${id}`) ?? 0;
    if (count !== 1) faults.push(`mail ${id} has ${count} runs`);
    counts.delete(`hook:gmail:${id}`);
  }
  for (const key of counts.keys()) faults.push(`there is a run ${key} that no mail asked for`);
  for (const { outcome, reason } of await store.listRequests({ limit: null }))
    if (outcome !== "accepted") faults.push(`recorded: ${reason}`);
  const unended = (await store.listRuns({ kind: "hook", limit: null })).filter(
    ({ status }) => status !== "succeeded",
  );
  for (const { id, status } of unended) faults.push(`run ${id} ended as ${status}`);
  return faults;
}

const usage =
  "npm run crash:mail -- [--mails N] [--kills N] [--store sqlite|postgres] [--nodes N] [--mode poll|pull] [--seed N]";

async function main(): Promise<void> {
  const values = readOptions(usage, {
    mails: { type: "string", default: "1000" },
    kills: { type: "string", default: "100" },
    store: { type: "string", default: "sqlite" },
    nodes: { type: "string", default: "1" },
    mode: { type: "string", default: "poll" },
    seed: { type: "string", default: String(randomSeed()) },
  });
  const store = values.store === "postgres" ? "postgres" : "sqlite";
  const mode = values.mode === "pull" ? "pull" : "poll";
  const [mails, kills, seed] = [Number(values.mails), Number(values.kills), Number(values.seed)];
  const nodes = store === "postgres" ? Number(values.nodes) : 1;
  console.log(`mail crash test: ${mails} mails, ${kills} kills, ${nodes} on ${store}, ${mode}, seed ${seed}`);
  const server = store === "postgres" ? await startPostgres() : null;
  if (server) process.env[postgresVariable] = server.url;
  try {
    const progress = (line: string): void => console.log(line);
    const { faults, ...numbers } = await mailCrashTest({ mails, kills, store, nodes, mode, seed, progress });
    for (const fault of faults) console.log(`FAULT ${fault}`);
    console.log(JSON.stringify(numbers), faults.length === 0 ? "nothing wrong" : `${faults.length} faults`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await server?.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

// Growth: what accepting, claiming and settling cost on an empty store, and on one with a million finished and
// 100,000 queued runs, 100,000 of them in a single lane. Both stores take turns in one process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/core/clock.ts";
import { newId } from "../src/core/id.ts";
import type { NewRun } from "../src/core/run.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Settlement, Store } from "../src/store/store.ts";
import { median } from "./statistics.ts";

const finished = 1_000_000;
const queued = 100_000;
const batch = 200;
const leaseMs = 60_000;

export async function measureGrowth(rounds = 15): Promise<void> {
  console.log(`\nGrowth on SQLite: ${finished} finished and ${queued} queued runs against an empty store`);
  const folder = mkdtempSync(join(tmpdir(), "rouse-growth-"));
  const small = await openSqliteStore({ path: join(folder, "small.db"), clock: systemClock, leaseMs });
  const large = await openLarge(join(folder, "large.db"));
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, store] of [
      ["small", small],
      ["large", large],
    ] as const) {
      for (const [step, ms] of Object.entries(await workOnce(store))) {
        if (round === 0) continue;
        const key = `${step} ${name}`;
        costs.set(key, [...(costs.get(key) ?? []), ms]);
      }
    }
    process.stderr.write(`\rround ${round} of ${rounds} `);
  }
  process.stderr.write("\r\u001b[K");
  await small.close();
  await large.close();
  rmSync(folder, { recursive: true, force: true });
  const cost = (key: string): number => median(costs.get(key) ?? []);
  console.table(
    Object.fromEntries(
      ["accept", "claim", "settle"].map((step) => {
        const [empty, full] = [cost(`${step} small`), cost(`${step} large`)];
        return [
          step,
          {
            "empty, µs": (empty * 1000).toFixed(1),
            "full, µs": (full * 1000).toFixed(1),
            ratio: (full / empty).toFixed(2),
          },
        ];
      }),
    ),
  );
}

/** Milliseconds per run of each step. */
async function workOnce(store: Store): Promise<Record<"accept" | "claim" | "settle", number>> {
  const runs = Array.from({ length: batch }, newRun);
  const accept = await timed(() => Promise.all(runs.map((run) => store.accept(acceptanceOf(run)))));
  const leases: { id: string; lease: string }[] = [];
  const claim = await timed(async () => {
    while (leases.length < batch) {
      const { claimed } = await store.claimRuns({ kind: "hook", limit: 4, lease: newId(), leaseMs });
      leases.push(...claimed);
      if (claimed.length === 0) throw new Error("nothing to claim");
    }
  });
  const settle = await timed(async () => {
    for (const each of leases) await store.settleRun(each, settlement);
  });
  return { accept: accept / batch, claim: claim / batch, settle: settle / batch };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const settlement: Settlement = {
  next: { kind: "ended", status: "succeeded", reply: "done", error: null },
  workedMs: 1,
  summary: null,
  delivery: null,
  heartbeat: null,
  shownEventIds: [],
};

const request = {
  message: "do it",
  name: "Bench",
  wakeMode: "now",
  deliver: false,
  channel: "last",
  to: null,
  model: null,
  thinking: null,
  timeoutSeconds: null,
} as const;

function newRun(): NewRun {
  const id = newId();
  return {
    id,
    kind: "hook",
    hook: "agent",
    agentId: "main",
    requestedAgentId: null,
    sessionKey: `hook:${id}`,
    lane: `run:${id}`,
    request,
  };
}

const acceptanceOf = (run: NewRun) => ({
  id: run.id,
  hook: "agent",
  events: [],
  runs: [run],
  heartbeat: null,
  idempotency: null,
  answer: { status: 202, body: {} },
});

async function openLarge(path: string): Promise<Store> {
  await (await openSqliteStore({ path, clock: systemClock, leaseMs })).close();
  const database = new DatabaseSync(path);
  const columns =
    "id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, ended_at, request, reply";
  const old = Date.now() - 86_400_000;
  const detail = JSON.stringify(request);
  database.exec("begin");
  const numbers = (count: number): string =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  database
    .prepare(
      `insert into run(${columns}) ${numbers(finished)} select printf('%08x-old', i), 'hook', 'agent', 'main', 'hook:x', printf('run:%08x-old', i), 0, 'succeeded', ?, ?, ?, ?, '"done"' from n`,
    )
    .run(old, old, old, detail);
  // One long lane: its head is due in the far future, so that what is claimed are the others.
  database
    .prepare(
      `insert into run(${columns}) ${numbers(queued)} select printf('%08x-new', i), 'hook', 'agent', 'main', 'hook:lane', 'session:main:hook:lane', i = 1, 'queued', ?, ?, null, ?, null from n`,
    )
    .run(old, Date.now() + 86_400_000, detail);
  database.exec("commit");
  database.close();
  return openSqliteStore({ path, clock: systemClock, leaseMs });
}

// Lists: pages of searches over a store with up to a million requests and as many runs, at 20 a second, while the same
// process accepts requests. Latencies count from the moment at which a search was due.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../src/core/id.ts";
import type { Found } from "../../src/store/ports/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { aRequest, anAcceptance, anArrival } from "../../test/builders/acceptance.ts";
import type { Lab } from "../lab.ts";
import { query } from "../postgres.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { newRun, request } from "../runs.ts";
import { quantile } from "../statistics.ts";
import type { StoreKind } from "../subjects/gateway.ts";

const searchesPerSecond = 20;
const acceptedPerSecond = 100;
const mostMs = 50;
const leaseSeconds = 60;
/** A row a second. */
const betweenMs = 1000;

type Search = (store: Store) => Promise<Found<unknown, unknown>>;
type Sizes = { rows: number; firstAt: number };

export async function measureLists(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  for (const kind of ["SQLite", "PostgreSQL"] as const) rows.push(...(await measureStore(lab, kind)));
  return {
    name: "lists",
    title: "Lists",
    rows,
    notes: [
      `${figure(lab.effort.stored)} requests and as many runs are stored; ${searchesPerSecond} searches a second for a page of 50, one after another of these, while ${acceptedPerSecond} requests a second are accepted`,
      "the slowest search is the one with the highest p99 of all that are named below it",
    ],
  };
}

async function measureStore(lab: Lab, kind: StoreKind): Promise<Row[]> {
  const sizes = { rows: lab.effort.stored, firstAt: Date.now() - lab.effort.stored * betweenMs };
  lab.say(`${kind}: storing ${figure(sizes.rows)} requests and runs`);
  const store = await openFilled(lab, kind, sizes);
  const searches = searchesOf(sizes);
  lab.say(`${kind}: accepting, without searches`);
  const seconds = lab.effort.seconds * 15;
  const alone = await acceptFor(store, seconds, () => {});
  const latencies = new Map<string, number[]>(Object.keys(searches).map((name) => [name, []]));
  lab.say(`${kind}: accepting and searching`);
  // The first turn of each plans its statements.
  for (const search of Object.values(searches)) await search(store);
  const beside = await acceptFor(store, seconds * 2, searching(store, searches, latencies));
  await store.close();
  const all = [...latencies.values()].flat();
  const byName = [...latencies].map(([name, values]) => ({
    name,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
  }));
  return [
    row(`all searches, p50, ${kind}`, quantile(all, 0.5), "ms"),
    row(`all searches, p99, ${kind}`, quantile(all, 0.99), "ms", { goal: { of: "value", atMost: mostMs } }),
    row(`accepting beside them, p50, ${kind}`, quantile(beside, 0.5), "ms", {
      against: "without searches",
      ratio: quantile(beside, 0.5) / quantile(alone, 0.5),
    }),
    row(`accepting beside them, p99, ${kind}`, quantile(beside, 0.99), "ms", {
      against: "without searches",
      ratio: quantile(beside, 0.99) / quantile(alone, 0.99),
    }),
    ...byName
      .toSorted((a, b) => b.p50 - a.p50)
      .map(({ name, p50, p99 }) => row(`${name}, p50 (p99 ${figure(p99)} ms), ${kind}`, p50, "ms")),
  ];
}

/** Every search that a list of commands, the API or the console makes, with rare and usual values. */
function searchesOf({ rows, firstAt }: Sizes): Record<string, Search> {
  const page = { limit: 50, before: null };
  const middle = { since: firstAt + (rows / 2) * betweenMs, until: firstAt + (rows / 2 + 600) * betweenMs };
  const requests =
    (more: object): Search =>
    (store) =>
      store.searchRequests({ ...page, ...more });
  const runs =
    (more: object): Search =>
    (store) =>
      store.searchRuns({ ...page, kinds: ["hook"], ...more });
  return {
    "requests, newest": requests({}),
    "requests in the middle": requests({ before: Math.floor(rows / 2) }),
    "requests of a usual hook": requests({ hooks: ["github"] }),
    "requests of a rare hook": requests({ hooks: ["rare"] }),
    "requests by outcome": requests({ outcomes: ["failed"] }),
    "requests by hook and outcome": requests({ hooks: ["github"], outcomes: ["refused"] }),
    "requests by hook and a rare outcome": requests({ hooks: ["github"], outcomes: ["full"] }),
    "requests by reason": requests({ reason: "none has it" }),
    "requests of a time": requests(middle),
    "requests of a hook and a time": requests({ ...middle, hooks: ["github"] }),
    "requests with failed runs": requests({ statuses: ["failed"] }),
    "requests with runs that went well": requests({ statuses: ["succeeded"] }),
    "requests by a prefix": requests({ id: "0198" }),
    "runs, newest": runs({}),
    "runs that failed": runs({ statuses: ["failed", "timed-out"] }),
    "runs that failed, of a rare hook": runs({ statuses: ["failed"], hooks: ["rare"] }),
    "runs that wait": runs({ statuses: ["queued"] }),
    "runs of an agent that has none": runs({ agents: ["nobody"] }),
    "runs of a time": runs(middle),
    "runs by error": runs({ error: "none has it" }),
    "sessions of an agent": (store) => store.searchSessions({ ...page, agents: ["nobody"] }),
    "an id that is not unique": async (store) => {
      await store.resolveId("request", "0198");
      return { items: [], next: null };
    },
    "the last hour by outcome": async (store) => {
      await store.outcomesPerHalfMinute();
      return { items: [], next: null };
    },
  };
}

/** Called for each accepted request; starts a search when one is due. */
function searching(
  store: Store,
  searches: Record<string, Search>,
  latencies: ReadonlyMap<string, number[]>,
): (now: number) => void {
  const names = Object.keys(searches);
  const everyMs = 1000 / searchesPerSecond;
  let dueAt = performance.now();
  let next = 0;
  return (now) => {
    for (; dueAt <= now; dueAt += everyMs) {
      const name = names[next++ % names.length]!;
      const from = dueAt;
      void searches[name]!(store).then(() => latencies.get(name)!.push(performance.now() - from));
    }
  };
}

/** Latencies of requests that are accepted at a fixed rate. */
async function acceptFor(store: Store, seconds: number, beside: (now: number) => void): Promise<number[]> {
  const latencies: number[] = [];
  const everyMs = 1000 / acceptedPerSecond;
  const endsAt = performance.now() + seconds * 1000;
  const pending = new Set<Promise<unknown>>();
  for (let dueAt = performance.now(); dueAt < endsAt; dueAt += everyMs) {
    for (let now = performance.now(); now < dueAt; now = performance.now())
      await delay(Math.min(2, dueAt - now));
    beside(performance.now());
    const from = dueAt;
    const accepting = store.accept(kept()).then(() => latencies.push(performance.now() - from));
    pending.add(accepting.finally(() => pending.delete(accepting)));
  }
  await Promise.all(pending);
  return latencies;
}

const body = Buffer.from(JSON.stringify({ message: "the build of main is broken; find out why" }));

function kept() {
  const id = newId();
  const run = { ...newRun(), hook: "github", requestId: id };
  return anAcceptance({
    id: run.id,
    hook: "github",
    runs: [run],
    request: aRequest({ id, hook: "github", arrival: anArrival(), body }),
    response: { status: 202, body: {} },
  });
}

/** One request in 50,000 is of a rare hook, one in 100 was refused, one in 1,000 failed; one run in 200 failed. */
async function openFilled(lab: Lab, kind: StoreKind, { rows, firstAt }: Sizes): Promise<Store> {
  const url = kind === "PostgreSQL" ? await lab.databases.create() : null;
  const path = join(lab.folder(), "rouse.db");
  await (await openStore({ url, path, leaseSeconds })).close();
  const numbers =
    url === null
      ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n)`
      : `generate_series(1, ${rows}) as numbers(i)`;
  const padded = url === null ? "printf('%012d', i)" : "lpad(cast(i as text), 12, '0')";
  const id = (letter: string): string =>
    `'0198' || substr(${padded}, 5, 4) || '-${letter}000-7000-8000-' || ${padded}`;
  const about = JSON.stringify({
    arrival: anArrival(),
    mapping: null,
    decision: null,
    runIds: [],
    eventIds: [],
  });
  const detail = JSON.stringify(request).replaceAll("'", "''");
  const hook = "case when i % 50000 = 0 then 'rare' else 'github' end";
  const at = `${firstAt} + cast(i as bigint) * ${betweenMs}`;
  const statements = [
    `insert into request(id, hook, outcome, reason, about, body, created_at) select ${id("0")}, ${hook},
      case when i % 1000 = 0 then 'failed' when i % 100 = 0 then 'refused' else 'accepted' end,
      '""', '${about}', 'json:"${"x".repeat(200)}"', ${at} from ${numbers}`,
    `insert into run(id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, started_at, ended_at, request, request_id, reply)
      select ${id("1")}, 'hook', ${hook}, 'main', 'hook:' || i, 'run:' || i, 0,
        case when i % 200 = 0 then 'failed' else 'succeeded' end, ${at}, ${at}, ${at}, ${at}, '${detail}', ${id("0")}, '"done"' from ${numbers}`,
    `insert into session(agent_id, session_key, last_at) select 'main', 'hook:' || i, ${at} from ${numbers}`,
  ];
  if (url === null) {
    const database = new DatabaseSync(path);
    for (const sql of statements) database.exec(sql);
    database.close();
  } else {
    for (const sql of statements) await query(url, sql);
    await query(url, "vacuum");
  }
  return openStore({ url, path, leaseSeconds });
}

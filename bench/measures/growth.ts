// Growth: the cost of accepting, claiming and settling a run on a store with one run, and on stores with up to a million
// finished runs and a tenth as many waiting in one lane; then with one lane and with many. The stores take turns.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newId } from "../../src/core/id.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/ports/store.ts";
import type { Lab } from "../lab.ts";
import { query } from "../postgres.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { acceptanceOf, endOf, newRun, request } from "../runs.ts";
import { median, medianRatio } from "../statistics.ts";
import type { StoreKind } from "../subjects/gateway.ts";

const batch = 200;
const atOnce = 16;
const leaseSeconds = 60;
const steps = ["accept", "claim", "settle"] as const;
type Costs = Record<(typeof steps)[number], number>;
/** `lanes` null: every run is isolated. */
type Sized = { name: string; store: Store; lanes: number | null };

export async function measureGrowth(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  for (const kind of ["SQLite", "PostgreSQL"] as const) {
    rows.push(...(await compareSizes(lab, kind)), ...(await compareLanes(lab, kind)));
  }
  return {
    name: "growth",
    title: "Growth",
    rows,
    notes: [
      `times are for one run; ${batch} are accepted at once, claimed ${atOnce} at a time and settled ${atOnce} at a time`,
    ],
  };
}

async function compareSizes(lab: Lab, kind: StoreKind): Promise<Row[]> {
  const sizes = [1, 1000, lab.effort.stored];
  const stores: Sized[] = [];
  for (const size of sizes) {
    lab.say(`${kind}: storing ${size} runs`);
    const store = await openFilled(lab, kind, size);
    stores.push({ name: `${figure(size)} stored runs`, store, lanes: null });
  }
  return compareStores(lab, kind, stores);
}

async function compareLanes(lab: Lab, kind: StoreKind): Promise<Row[]> {
  const stores: Sized[] = [];
  for (const lanes of [1, 10, 1000])
    stores.push({ name: `${figure(lanes)} lanes`, store: await openFilled(lab, kind, 1), lanes });
  return compareStores(lab, kind, stores);
}

async function compareStores(lab: Lab, kind: StoreKind, stores: readonly Sized[]): Promise<Row[]> {
  const costs = new Map<Sized, Costs[]>(stores.map((each) => [each, []]));
  const rounds = lab.effort.rounds * 2;
  for (let round = 0; round <= rounds; round++) {
    for (const each of stores) {
      lab.say(`${kind}, ${each.name}: round ${round} of ${rounds}`);
      const cost = await workOnce(each);
      // The first round warms up.
      if (round > 0) costs.get(each)?.push(cost);
    }
  }
  for (const { store } of stores) await store.close();
  const [least, ...more] = stores;
  const of = (each: Sized, step: keyof Costs): number[] => costs.get(each)!.map((cost) => cost[step]);
  return steps.flatMap((step) =>
    more.map((each) =>
      row(`${step}, ${each.name}, ${kind}`, median(of(each, step)) * 1000, "µs", {
        against: least!.name,
        ratio: medianRatio(of(each, step), of(least!, step)),
      }),
    ),
  );
}

/** Milliseconds per run for each step. */
async function workOnce({ store, lanes }: Sized): Promise<Costs> {
  const runs = Array.from({ length: batch }, (_, at) =>
    newRun(lanes === null ? {} : { lane: `lane-${at % lanes}` }),
  );
  const accept = await timed(() => Promise.all(runs.map((each) => store.accept(acceptanceOf(each)))));
  let [claim, settle, done] = [0, 0, 0];
  while (done < batch) {
    const before = performance.now();
    const { claimed } = await store.claimRuns({
      kind: "hook",
      limit: atOnce,
      lease: newId(),
      leaseMs: leaseSeconds * 1000,
    });
    claim += performance.now() - before;
    if (claimed.length === 0) throw new Error("nothing to claim");
    settle += await timed(() => Promise.all(claimed.map((each) => store.settleRun(each, endOf(each)))));
    done += claimed.length;
  }
  return { accept: accept / batch, claim: claim / batch, settle: settle / batch };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const columns =
  "id, kind, hook, agent_id, session_key, lane, head, status, created_at, ready_at, ended_at, request, reply";

/** Finished runs, and a tenth as many waiting in one lane whose head is due tomorrow, so that none is claimed. */
async function openFilled(lab: Lab, kind: StoreKind, size: number): Promise<Store> {
  const url = kind === "PostgreSQL" ? await lab.databases.create() : null;
  const path = join(lab.folder(), "rouse.db");
  await (await openStore({ url, path, leaseSeconds })).close();
  const [old, tomorrow] = [Date.now() - 86_400_000, Date.now() + 86_400_000];
  const detail = JSON.stringify(request).replaceAll("'", "''");
  const insert = (
    id: string,
    lane: string,
    head: string,
    status: string,
    readyAt: number,
    endedAt: string,
  ): string =>
    `insert into run(${columns}) select ${id}, 'hook', 'agent', 'main', 'hook:x', ${lane}, ${head}, '${status}',
      ${old}, ${readyAt}, ${endedAt}, '${detail}', '"done"'`;
  const finished = insert("'old-' || i", "'run:old-' || i", "0", "succeeded", old, String(old));
  const waiting = insert(
    "'new-' || i",
    "'lane:long'",
    "case i when 1 then 1 else 0 end",
    "queued",
    tomorrow,
    "null",
  );
  const waitingCount = Math.floor(size / 10);
  if (url === null) {
    const database = new DatabaseSync(path);
    const numbers = (count: number): string =>
      `from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`;
    database.exec(`begin; ${finished} ${numbers(size)}`);
    if (waitingCount > 0) database.exec(`${waiting} ${numbers(waitingCount)}`);
    database.exec("commit; analyze");
    database.close();
  } else {
    await query(url, `${finished} from generate_series(1, ${size}) as i`);
    await query(url, `${waiting} from generate_series(1, ${waitingCount}) as i`);
    await query(url, "vacuum analyze");
  }
  return openStore({ url, path, leaseSeconds });
}

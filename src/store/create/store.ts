// The store port over any driver. Here requests are gathered and pages put together; the rest is in the programs.
import type { ClaimedRun, NewRun } from "../../core/run.ts";
import { idempotencyMs } from "../../core/retention.ts";
import type { Driver } from "../driver/program.ts";
import { type Bell, silentBell } from "./notifier.ts";
import { createGroup } from "./group.ts";
import { isolatedRun, loneKind } from "./single.ts";
import { packGroup } from "../programs/accept.ts";
import { isUsualEnd } from "../programs/isolated.ts";
import type { PageInput, PageResult } from "../programs/lists.ts";
import type { Programs } from "../programs/catalogue.ts";
import { toClaimedRow, toEventRow, toRunRow } from "../programs/rows.ts";
import type { Settled } from "../programs/settle.ts";
import type { AttemptStarted, FirstAttempt, AttemptStart } from "../../core/attempt.ts";
import type { Acceptance, Accepted } from "../../core/request.ts";
import type { FailureCount } from "../ports/requests.ts";
import type { Store } from "../ports/store.ts";

const longestGroup = 500;
const evenFrom = 16;
/** Of runs, whose prompts and replies can be large. */
const longestWork = 64;
/** Of isolated runs: nobody waits for their end, and a start can wait a little where starts are many. */
const endsApartMs = 20;
const startsApartMs = 2;
const pageSize = 500;
const stored: Accepted = { kind: "stored" };

const firstClaimed = (run: NewRun, { lease }: AttemptStart, now: number): ClaimedRun => ({
  ...run,
  status: "running",
  attempts: 1,
  createdAt: now,
  startedAt: now,
  endedAt: null,
  reply: null,
  error: null,
  signals: null,
  report: null,
  lease,
  elapsedMs: 0,
  cancelRequested: false,
  acted: false,
});

export type StoreOptions = {
  driver: Driver<Programs>;
  /** How nodes call each other; without, there is only one. */
  bell?: Bell;
  /** Told how many requests shared a commit. */
  onGroup?: ((size: number) => void) | undefined;
};

export function createStore({ driver, bell = silentBell, onGroup }: StoreOptions): Store {
  const ofRequests = { longest: longestGroup, evenFrom, ...(onGroup && { onWritten: onGroup }) };
  /** Anything, in a transaction. */
  const acceptances = createGroup<Acceptance, Accepted>({
    async write(group) {
      const keyed = await driver.run("accept", { ...packGroup(group), idempotencyMs });
      let next = 0;
      return group.map((each) => (each.idempotency ? keyed[next++]! : stored));
    },
    ...ofRequests,
  });
  /** What nearly all requests lead to, in a single statement; false: it was not stored, and is tried as anything. */
  const lone = {
    run: createGroup<Acceptance, boolean>({
      async write(group) {
        const left = await driver.run("acceptRuns", { runs: group.map(({ runs }) => toRunRow(runs[0]!)) });
        return group.map(({ runs }) => left.length === 0 || !left.includes(runs[0]!.id));
      },
      ...ofRequests,
    }),
    events: createGroup<Acceptance, boolean>({
      async write(group) {
        const events = group.flatMap((each) => each.events.map((event) => toEventRow(event)));
        const heartbeat = group.find((each) => each.heartbeat)?.heartbeat ?? null;
        const stored = await driver.run("acceptEvents", { events, heartbeat });
        return group.map(() => stored);
      },
      ...ofRequests,
    }),
  };
  /** The same, stored as begun; null: it was not stored, and is tried as it would be without. */
  const begunRuns = createGroup<{ run: NewRun; first: FirstAttempt }, Accepted | null>({
    async write(group) {
      const { leaseMs } = group[0]!.first;
      const starts = group.map(({ first }) => first.start);
      const runs = group.map(({ run, first }) => toClaimedRow(run, first.start.lease));
      const { at, steps } = await driver.run("acceptBegun", { runs, starts, leaseMs });
      return group.map(({ run, first }, index) => {
        const step = steps[index];
        if (step === "begun") return { kind: "stored", started: firstClaimed(run, first.start, at) };
        return step === "stored" ? stored : null;
      });
    },
    ...ofRequests,
  });
  const accept = async (acceptance: Acceptance, first?: FirstAttempt): Promise<Accepted> => {
    const run = first ? isolatedRun(acceptance) : null;
    const begun = first && run ? await begunRuns.add({ run, first }) : null;
    if (begun) return begun;
    const kind = loneKind(acceptance);
    const isStored = kind !== null && (await lone[kind].add(acceptance));
    return isStored ? stored : acceptances.add(acceptance);
  };

  const settleAny = (group: readonly Settled[]) => driver.run("settleRuns", { settlements: group });
  /** Usual ends of isolated runs in a single statement; null: it was not stored, and is tried as any. */
  const settlements = {
    any: createGroup<Settled, boolean>({ write: settleAny, longest: longestWork }),
    heartbeat: createGroup<Settled, boolean>({ write: settleAny, longest: 1 }),
    isolated: createGroup<Settled, boolean | null>({
      write: (group) => driver.run("settleIsolated", { settlements: group }),
      longest: longestWork,
      apartMs: endsApartMs,
    }),
  };
  const settleRun: Store["settleRun"] = async ({ id, lease, kind, isolated }, settlement) => {
    const settled = { id, lease, settlement };
    if (kind === "heartbeat") return settlements.heartbeat.add(settled);
    const isUsual = isolated && isUsualEnd(settled);
    return (isUsual ? await settlements.isolated.add(settled) : null) ?? settlements.any.add(settled);
  };

  /** The same. */
  const starts = {
    any: createGroup<AttemptStart, AttemptStarted>({
      write: (group) => driver.run("beginRuns", { starts: group }),
      longest: longestWork,
    }),
    isolated: createGroup<AttemptStart, AttemptStarted | null>({
      write: (group) => driver.run("beginIsolated", { starts: group }),
      longest: longestWork,
      apartMs: startsApartMs,
    }),
  };
  const startRun: Store["startRun"] = async (start) =>
    (start.isolated ? await starts.isolated.add(start) : null) ?? starts.any.add(start);

  const failures = createGroup<{ address: string; windowMs: number }, FailureCount>({
    async write(group) {
      const totals = new Map<string, number>();
      const places = group.map(({ address }) => {
        const place = (totals.get(address) ?? 0) + 1;
        totals.set(address, place);
        return place;
      });
      const { windowMs } = group[0]!;
      const counts = await driver.run("countFailures", { failures: [...totals], windowMs });
      return group.map(({ address }, index) => {
        const { failures: all, endsInMs } = counts.get(address)!;
        return { failures: all - totals.get(address)! + places[index]!, endsInMs };
      });
    },
    longest: longestGroup,
  });

  const collect = async <T>(
    limit: number | null,
    read: (input: PageInput) => Promise<PageResult<T>>,
  ): Promise<T[]> => {
    const items: T[] = [];
    let before: number | null = null;
    while (limit === null || items.length < limit) {
      const wanted = limit === null ? pageSize : Math.min(pageSize, limit - items.length);
      const page: PageResult<T> = await read({ limit: wanted, before });
      items.push(...page.items);
      if (page.last === null) break;
      before = page.last;
    }
    return items;
  };

  return {
    accept,
    findRepeated: (hook, idempotency) => driver.run("findRepeated", { hook, ...idempotency, idempotencyMs }),
    recordRequest: (record) => driver.run("recordRequest", record),

    claimRuns: (claim) => driver.run("claimRuns", claim),
    renewRuns: (renewal) => driver.run("renewRuns", renewal),
    settleRun,
    cancelRun: (id, ended) => driver.run("cancelRun", { id, ...ended }),
    repeatRun: (id, newId) => driver.run("repeatRun", { id, newId }),
    startRun,
    markActed: (run) => driver.run("markActed", run),
    releaseRuns: (which) => driver.run("releaseRuns", which),
    countUnfinished: () => driver.run("countUnfinished", null),
    countWaiting: () => driver.run("countWaiting", null),
    backlog: () => driver.run("backlog", {}),

    requestHeartbeat: (request) => driver.run("requestHeartbeat", request),
    beatIfDue: (request, everyMs) => driver.run("beatIfDue", { request, everyMs }),
    waitingEvents: (sessionKey, limit) => driver.run("waitingEvents", { sessionKey, limit }),

    claimDeliveries: (claim) => driver.run("claimDeliveries", claim),
    waitingChannels: () => driver.run("waitingChannels", null),
    advanceDelivery: (progress) => driver.run("advanceDelivery", progress),
    renewDeliveries: (renewal) => driver.run("renewDeliveries", renewal),
    settleDelivery: ({ id, lease }, settlement) => driver.run("settleDelivery", { id, lease, settlement }),
    moveDelivery: ({ id, lease }, target) => driver.run("moveDelivery", { id, lease, target }),
    retryDelivery: (id) => driver.run("retryDelivery", { id }),
    cancelDelivery: (id, error) => driver.run("cancelDelivery", { id, error }),

    listRuns: ({ limit, kind }) => collect(limit, (page) => driver.run("listRuns", { ...page, kind })),
    findRun: (id) => driver.run("findRun", { id }),
    listEvents: ({ limit }) => collect(limit, (page) => driver.run("listEvents", page)),
    findEvent: (id) => driver.run("findEvent", { id }),
    markEvent: (id, waiting) => driver.run("markEvent", { id, waiting }),
    listDeliveries: ({ limit, runId }) =>
      collect(limit, (page) => driver.run("listDeliveries", { ...page, runId: runId ?? null })),
    findDelivery: (id) => driver.run("findDelivery", { id }),
    listRequests: ({ limit }) => collect(limit, (page) => driver.run("listRequests", page)),

    listTurns: (of) => driver.run("listTurns", of),
    listSessions: (limit) => driver.run("listSessions", { limit }),
    resetSession: (session) => driver.run("resetSession", session),
    compact: (session) => driver.run("compact", session),
    listSpending: () => driver.run("listSpending", {}),

    claimMailbox: (hold) => driver.run("claimMailbox", hold),
    renewMailbox: (hold) => driver.run("renewMailbox", hold),
    releaseMailbox: (held) => driver.run("releaseMailbox", held),
    unseenMail: (id, messageIds) => driver.run("unseenMail", { id, messageIds }),
    waitingMail: (id, limit) => driver.run("waitingMail", { id, limit }),
    commitMail: (commit) => driver.run("commitMail", commit),
    noteMail: (note) => driver.run("noteMail", note),
    noteSubscription: (id, watch) => driver.run("noteSubscription", { id, ...watch }),
    listMailAccounts: () => driver.run("listMailAccounts", null),
    forgetMailAccount: (id) => driver.run("forgetMailAccount", { id }),

    lastTarget: () => driver.run("lastTarget", null),
    setLastTarget: (target) => driver.run("setLastTarget", { target }),

    countFailure: (failure) => failures.add(failure),

    sweep: (retention, limit) => driver.run("sweep", { retention, limit }),
    announce: bell.ring,
    listen: bell.listen,
    databaseTime: () => driver.run("databaseTime", null),
    probe: () => driver.run("probe", {}),
    async close() {
      await bell.close();
      await driver.close();
    },
  };
}

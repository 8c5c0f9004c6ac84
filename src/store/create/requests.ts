// The port of requests: acceptances in group commits, and counts of failed tokens.
import type { FirstAttempt } from "../../core/attempt.ts";
import type { Acceptance, Accepted, UnusedRequest } from "../../core/request.ts";
import { idempotencyMs } from "../../core/retention.ts";
import type { ClaimedRun, NewRun } from "../../core/run.ts";
import type { Driver } from "../driver/program.ts";
import type { FailureCount, Requests } from "../ports/requests.ts";
import { packEvents, packGroup } from "../programs/accept.ts";
import type { Programs } from "../programs/catalogue.ts";
import { toAcceptedRow, toUnusedRow } from "../programs/requests.ts";
import { toClaimedRow, toRunRow } from "../programs/rows.ts";
import { createGroup, type Group } from "./group.ts";
import { collect } from "./lists.ts";
import { isKeyedRun, isolatedRun, singleKind } from "./single.ts";
import type { UnreadableReports } from "./unreadable.ts";

const longestGroup = 500;
const stored: Accepted = { kind: "stored" };

export type RequestOptions = {
  driver: Driver<Programs>;
  unreadable: UnreadableReports;
  /** Whether a statement costs a round trip. Otherwise a transaction is as fast. */
  isRemote?: boolean | undefined;
  /** Called with how many requests shared a commit. */
  onGroup?: ((size: number) => void) | undefined;
};

export function createRequests({ driver, unreadable, isRemote, onGroup }: RequestOptions): Requests {
  const failures = createFailures(driver);
  const records = createRecords(driver);
  return {
    accept: createAccept({ driver, unreadable, isRemote, onGroup }),
    async findRepeated(hook, idempotency) {
      const found = await driver.run("findRepeated", { hook, ...idempotency, idempotencyMs });
      reportRebuilt(unreadable, found);
      return found;
    },
    recordRequest: (unused) => records.add(unused),
    findRequest: (id) => driver.run("findRequest", { id }),
    requestBody: (id) => driver.run("requestBody", { id }),
    findReplays: (ids) => driver.run("findReplays", { ids }),
    listRequests: ({ limit }) => collect(limit, (page) => driver.run("listRequests", page)),
    countFailure: (failure) => failures.add(failure),
  };
}

/** Tries to store the request as a started run, then by a single statement, then by a transaction. */
function createAccept(options: RequestOptions): Requests["accept"] {
  const limits = { longest: longestGroup, ...(options.onGroup && { onWritten: options.onGroup }) };
  const startedRuns = createStartedRuns(options.driver, limits);
  const singles = createSingles(options.driver, limits);
  const transactions = createTransactions(options.driver, limits);
  return async (acceptance, first) => {
    const run = first ? isolatedRun(acceptance) : null;
    const started = first && run ? await startedRuns.add({ acceptance, run, first }) : null;
    if (started) return started;
    const kind = options.isRemote && isKeyedRun(acceptance) ? "keyed" : singleKind(acceptance);
    const isStored = kind !== null && (await singles[kind].add(acceptance));
    if (isStored) return stored;
    const accepted = await transactions.add(acceptance);
    reportRebuilt(options.unreadable, accepted);
    return accepted;
  };
}

/** The key came in a header, so the row is named by what was stored for it. */
const reportRebuilt = (unreadable: UnreadableReports, result: Accepted | null): void => {
  if (result?.kind === "replayed" && result.rebuiltFor !== undefined)
    unreadable.add({
      table: "idempotency",
      id: result.rebuiltFor,
      reason: "its column answer is no response of this version",
    });
};

type Limits = { longest: number; onWritten?: (size: number) => void };

const createTransactions = (driver: Driver<Programs>, limits: Limits): Group<Acceptance, Accepted> =>
  createGroup({
    async write(group) {
      const keyed = await driver.run("accept", { ...packGroup(group), idempotencyMs });
      let next = 0;
      return group.map((each) => (each.idempotency ? keyed[next++]! : stored));
    },
    ...limits,
  });

/** The result false: it was not stored. */
const createSingles = (
  driver: Driver<Programs>,
  limits: Limits,
): Record<"run" | "keyed" | "events", Group<Acceptance, boolean>> => ({
  run: createGroup({
    async write(group) {
      const runs = group.map((each) => toRunRow(each.runs[0]!));
      const left = await driver.run("acceptRuns", { runs, requests: group.map(toAcceptedRow) });
      return group.map(({ runs }) => left.length === 0 || !left.includes(runs[0]!.id));
    },
    ...limits,
  }),
  keyed: createGroup({
    async write(group) {
      const left = await driver.run("acceptKeyed", { keyed: packGroup(group).keyed });
      // Those that are left are counted by the transaction that decides them.
      if (left.length < group.length) limits.onWritten?.(group.length - left.length);
      return group.map(({ id }) => left.length === 0 || !left.includes(id));
    },
    longest: limits.longest,
  }),
  events: createGroup({
    async write(group) {
      const isStored = await driver.run("acceptEvents", packEvents(group));
      return group.map(() => isStored);
    },
    ...limits,
  }),
});

/** The result null: it was not stored. */
const createStartedRuns = (
  driver: Driver<Programs>,
  limits: Limits,
): Group<{ acceptance: Acceptance; run: NewRun; first: FirstAttempt }, Accepted | null> =>
  createGroup({
    async write(group) {
      const { leaseMs } = group[0]!.first;
      const starts = group.map(({ first }) => first.start);
      const runs = group.map(({ run, first }) => toClaimedRow(run, first.start.lease));
      const requests = group.map(({ acceptance }) => toAcceptedRow(acceptance));
      const { at, steps } = await driver.run("acceptStarted", { runs, requests, starts, leaseMs });
      return group.map(({ run, first }, index) => {
        const step = steps[index];
        if (step === "started") return { kind: "stored", started: claimedRun(run, first.start.lease, at) };
        return step === "stored" ? stored : null;
      });
    },
    ...limits,
  });

const claimedRun = (run: NewRun, lease: string, now: number): ClaimedRun => ({
  ...run,
  status: "running",
  attempts: 1,
  createdAt: now,
  startedAt: now,
  endedAt: null,
  reply: null,
  error: null,
  signals: null,
  lastLine: null,
  report: null,
  nextTryAt: null,
  retriedAs: null,
  lease,
  elapsedMs: 0,
  waitedMs: 0,
  cancelRequested: false,
  acted: false,
});

const createRecords = (driver: Driver<Programs>): Group<UnusedRequest, void> =>
  createGroup({
    async write(group) {
      await driver.run("recordRequests", { requests: group.map(toUnusedRow) });
      return group.map(() => undefined);
    },
    longest: longestGroup,
  });

/** Each failure of a group gets its own number among those of its address. */
const createFailures = (
  driver: Driver<Programs>,
): Group<{ address: string; windowMs: number }, FailureCount> =>
  createGroup({
    async write(group) {
      const totals = new Map<string, number>();
      const numbers = group.map(({ address }) => {
        const number = (totals.get(address) ?? 0) + 1;
        totals.set(address, number);
        return number;
      });
      const { windowMs } = group[0]!;
      const counts = await driver.run("countFailures", { failures: [...totals], windowMs });
      return group.map(({ address }, index) => {
        const { failures, endsInMs } = counts.get(address)!;
        return { failures: failures - totals.get(address)! + numbers[index]!, endsInMs };
      });
    },
    longest: longestGroup,
  });

// Every program by its name, and how a driver runs it.
import type { AnyProgram } from "../driver/program.ts";
import { checkVersion, migrate } from "../migrations/migrate.ts";
import { accept, acceptEvents, acceptKeyed, acceptRuns, findRepeated } from "./accept.ts";
import { attemptsOf, listAttempts } from "./attempts.ts";
import { countFailures } from "./auth-failures.ts";
import { backlog, countWaiting } from "./backlog.ts";
import { healClock } from "./clock.ts";
import { findReplays, findRequest, recordRequests, requestBody } from "./requests.ts";
import { startRuns } from "./start.ts";
import {
  advanceDelivery,
  cancelDelivery,
  claimDeliveries,
  mendLanes,
  moveDelivery,
  renewDeliveries,
  retryDelivery,
  settleDelivery,
  waitingChannels,
} from "./deliveries.ts";
import {
  deliveriesOf,
  findEvents,
  findRuns,
  listReplays,
  newestId,
  outcomesPerHalfMinute,
  resolveId,
  runBehind,
  runStates,
  sameReason,
  searchSessions,
} from "./find.ts";
import { searchDeliveries, searchEvents, searchRequests, searchRuns } from "./searches.ts";
import { addAudit, searchAudit } from "./audit.ts";
import { pausedHooks, pauseHook, resumeHook } from "./paused.ts";
import { setEventsAside } from "./events.ts";
import { requestHeartbeat } from "./heartbeats.ts";
import {
  countWaitingEvents,
  findDelivery,
  findEvent,
  findRun,
  findSummary,
  listDeliveries,
  listEvents,
  listRequests,
  markEvent,
  waitingEvents,
} from "./lists.ts";
import {
  commitMail,
  forgetMailAccount,
  claimMailbox,
  listMailAccounts,
  noteMail,
  noteSubscription,
  releaseMailbox,
  renewMailbox,
  unseenMail,
  waitingMail,
} from "./mail.ts";
import { acceptStarted } from "./accept-started.ts";
import { cancelRun, claimRuns, markActed, noteLastLine, releaseRuns, renewRuns, voidLeases } from "./runs.ts";
import { listFailedRuns, repeatFailedRuns, repeatRun } from "./repeat.ts";
import { settleRuns } from "./settle.ts";
import { forgetKey, listSenders, noteCalls, openPairing, senderKeys, takeKey } from "./senders.ts";
import { longConversations, sweep, sweepConversations } from "./sweep.ts";
import { listSpending } from "./spending.ts";
import { compact, listSessions, listTurns, resetSession, setTurnsAside } from "./transcripts.ts";
import { beatIfDue, databaseTime, identity, lastTarget, probe, setLastTarget } from "./upkeep.ts";

/**
 * `write`: a transaction. `single`: a write of one statement, which is a transaction by itself on PostgreSQL; in SQLite's
 * thread it is a write like any other. `read`: changes nothing. `timedRead`: a read that needs the time.
 */
export type ProgramKind = "write" | "single" | "read" | "timedRead";

type Options = {
  /** A caller or an agent waits for it: SQLite's thread writes it first. */
  urgent?: boolean;
  /** How long it may take before the database counts as away. Callers of hooks do not wait for long. */
  timeoutMs?: number;
};

export type CatalogueEntry<Run extends AnyProgram = AnyProgram> = Required<Options> & {
  kind: ProgramKind;
  run: Run;
};

const entryOf =
  (kind: ProgramKind) =>
  <Run extends AnyProgram>(
    run: Run,
    { urgent = false, timeoutMs = 20_000 }: Options = {},
  ): CatalogueEntry<Run> => ({
    kind,
    run,
    urgent,
    timeoutMs,
  });

const write = entryOf("write");
const single = entryOf("single");
const read = entryOf("read");
const timedRead = entryOf("timedRead");

const entries = {
  accept: write(accept, { urgent: true, timeoutMs: 8_000 }),
  acceptEvents: single(acceptEvents, { urgent: true, timeoutMs: 8_000 }),
  acceptKeyed: single(acceptKeyed, { urgent: true, timeoutMs: 8_000 }),
  acceptRuns: single(acceptRuns, { urgent: true, timeoutMs: 8_000 }),
  acceptStarted: single(acceptStarted, { urgent: true, timeoutMs: 8_000 }),
  addAudit: write(addAudit),
  advanceDelivery: single(advanceDelivery),
  attemptsOf: read(attemptsOf),
  backlog: timedRead(backlog),
  beatIfDue: write(beatIfDue),
  cancelDelivery: write(cancelDelivery),
  cancelRun: write(cancelRun),
  checkVersion: read(checkVersion),
  claimDeliveries: write(claimDeliveries),
  claimMailbox: write(claimMailbox),
  claimRuns: single(claimRuns),
  commitMail: write(commitMail),
  compact: write(compact),
  countFailures: write(countFailures),
  countWaiting: read(countWaiting),
  countWaitingEvents: read(countWaitingEvents),
  databaseTime: read(databaseTime),
  deliveriesOf: read(deliveriesOf),
  findDelivery: read(findDelivery),
  findEvent: read(findEvent),
  findEvents: read(findEvents),
  findRepeated: timedRead(findRepeated),
  findReplays: read(findReplays),
  findRequest: read(findRequest),
  findRun: read(findRun),
  findRuns: read(findRuns),
  findSummary: read(findSummary),
  forgetMailAccount: write(forgetMailAccount),
  forgetKey: write(forgetKey),
  healClock: write(healClock, { urgent: true }),
  identity: write(identity),
  lastTarget: read(lastTarget),
  listAttempts: read(listAttempts),
  listDeliveries: read(listDeliveries),
  listEvents: read(listEvents),
  listFailedRuns: read(listFailedRuns),
  listMailAccounts: read(listMailAccounts),
  listReplays: read(listReplays),
  listRequests: read(listRequests),
  listSenders: timedRead(listSenders),
  listSessions: read(listSessions),
  listSpending: timedRead(listSpending),
  listTurns: read(listTurns),
  longConversations: read(longConversations),
  markActed: single(markActed),
  markEvent: write(markEvent),
  mendLanes: write(mendLanes),
  migrate: write(migrate),
  moveDelivery: write(moveDelivery),
  newestId: read(newestId),
  noteLastLine: single(noteLastLine),
  noteCalls: write(noteCalls),
  noteMail: write(noteMail),
  noteSubscription: write(noteSubscription),
  openPairing: write(openPairing),
  outcomesPerHalfMinute: timedRead(outcomesPerHalfMinute),
  pausedHooks: read(pausedHooks),
  pauseHook: write(pauseHook),
  probe: write(probe),
  recordRequests: write(recordRequests),
  releaseMailbox: single(releaseMailbox),
  releaseRuns: write(releaseRuns),
  renewDeliveries: single(renewDeliveries),
  renewMailbox: single(renewMailbox),
  renewRuns: single(renewRuns),
  repeatFailedRuns: write(repeatFailedRuns),
  repeatRun: write(repeatRun),
  requestBody: read(requestBody),
  requestHeartbeat: write(requestHeartbeat),
  resetSession: write(resetSession),
  resolveId: read(resolveId),
  runBehind: read(runBehind),
  resumeHook: write(resumeHook),
  retryDelivery: write(retryDelivery),
  runStates: read(runStates),
  senderKeys: read(senderKeys),
  setLastTarget: write(setLastTarget),
  sameReason: read(sameReason),
  searchAudit: read(searchAudit),
  searchDeliveries: read(searchDeliveries),
  searchEvents: read(searchEvents),
  searchRequests: read(searchRequests),
  searchRuns: read(searchRuns),
  searchSessions: read(searchSessions),
  setEventsAside: write(setEventsAside),
  setTurnsAside: write(setTurnsAside),
  settleDelivery: write(settleDelivery),
  settleRuns: write(settleRuns),
  startRuns: write(startRuns, { urgent: true }),
  sweep: write(sweep),
  sweepConversations: write(sweepConversations),
  takeKey: write(takeKey, { urgent: true, timeoutMs: 8_000 }),
  unseenMail: read(unseenMail),
  voidLeases: write(voidLeases),
  waitingChannels: read(waitingChannels),
  waitingEvents: read(waitingEvents),
  waitingMail: timedRead(waitingMail),
} as const;

export type ProgramName = keyof typeof entries;
/** The programs alone, by their names. */
export type Programs = { [Name in ProgramName]: (typeof entries)[Name]["run"] };

export const catalogue: Readonly<Record<ProgramName, CatalogueEntry>> = entries;

export const isRead = (name: ProgramName): boolean =>
  catalogue[name].kind === "read" || catalogue[name].kind === "timedRead";

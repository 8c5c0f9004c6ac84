// Every program by its name: what a driver can be asked to run. Writes are transactions, and what asks for the time is
// one too; singles write with one statement, which is a transaction by itself; reads change nothing.
import { checkVersion, migrate } from "../migrations/migrate.ts";
import { accept, acceptEvents, acceptRuns, findRepeated } from "./accept.ts";
import { countFailures } from "./auth-failures.ts";
import { backlog } from "./backlog.ts";
import { beginRuns } from "./start.ts";
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
import { requestHeartbeat } from "./enqueue.ts";
import {
  findDelivery,
  findEvent,
  findRun,
  listDeliveries,
  listEvents,
  listRequests,
  listRuns,
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
import { acceptBegun, beginIsolated, settleIsolated } from "./isolated.ts";
import { cancelRun, claimRuns, renewRuns, repeatRun, voidLeases } from "./runs.ts";
import { settleRuns } from "./settle.ts";
import { listSpending } from "./spending.ts";
import { compact, listSessions, listTurns, markActed, releaseRuns, resetSession } from "./transcripts.ts";
import {
  beatIfDue,
  countUnfinished,
  countWaiting,
  databaseTime,
  lastTarget,
  probe,
  recordRequest,
  setLastTarget,
  sweep,
} from "./upkeep.ts";

export const writes = {
  accept,
  advanceDelivery,
  backlog,
  beatIfDue,
  beginRuns,
  cancelDelivery,
  cancelRun,
  claimDeliveries,
  commitMail,
  compact,
  countFailures,
  findRepeated,
  forgetMailAccount,
  claimMailbox,
  listSpending,
  markActed,
  markEvent,
  mendLanes,
  migrate,
  moveDelivery,
  noteMail,
  noteSubscription,
  probe,
  recordRequest,
  releaseMailbox,
  releaseRuns,
  renewDeliveries,
  renewMailbox,
  renewRuns,
  repeatRun,
  requestHeartbeat,
  resetSession,
  retryDelivery,
  setLastTarget,
  settleDelivery,
  settleRuns,
  sweep,
  voidLeases,
  waitingMail,
} as const;

/** Where others write too. In SQLite's thread they are writes like any other. */
export const singles = {
  acceptBegun,
  acceptEvents,
  acceptRuns,
  beginIsolated,
  claimRuns,
  settleIsolated,
} as const;

export const reads = {
  checkVersion,
  countUnfinished,
  countWaiting,
  databaseTime,
  findDelivery,
  findEvent,
  findRun,
  lastTarget,
  listDeliveries,
  listEvents,
  listMailAccounts,
  listRequests,
  listRuns,
  listSessions,
  listTurns,
  unseenMail,
  waitingChannels,
  waitingEvents,
} as const;

export const programs = { ...writes, ...singles, ...reads } as const;
export type Programs = typeof programs;
export type ProgramName = keyof Programs;

export const isRead = (name: ProgramName): boolean => Object.hasOwn(reads, name);
export const isSingle = (name: ProgramName): boolean => Object.hasOwn(singles, name);

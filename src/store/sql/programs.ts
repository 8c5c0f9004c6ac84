// Every program by its name: what a driver can be asked to run. Writes are transactions; reads change nothing.
import { checkVersion, migrate } from "../migrations/migrate.ts";
import { accept } from "./accept.ts";
import { cancelDelivery, claimDeliveries, retryDelivery, settleDelivery } from "./deliveries.ts";
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
import { cancelRun, claimRuns, renewRuns, repeatRun, settleRun, voidLeases } from "./runs.ts";
import {
  beatIfDue,
  countUnfinished,
  databaseTime,
  lastTarget,
  probe,
  recordRequest,
  setLastTarget,
  sweep,
} from "./upkeep.ts";

export const writes = {
  accept,
  beatIfDue,
  cancelDelivery,
  cancelRun,
  claimDeliveries,
  claimRuns,
  markEvent,
  migrate,
  probe,
  recordRequest,
  renewRuns,
  repeatRun,
  requestHeartbeat,
  retryDelivery,
  setLastTarget,
  settleDelivery,
  settleRun,
  sweep,
  voidLeases,
} as const;

export const reads = {
  checkVersion,
  countUnfinished,
  databaseTime,
  findDelivery,
  findEvent,
  findRun,
  lastTarget,
  listDeliveries,
  listEvents,
  listRequests,
  listRuns,
  waitingEvents,
} as const;

export const programs = { ...writes, ...reads } as const;
export type Programs = typeof programs;
export type ProgramName = keyof Programs;

export const isRead = (name: ProgramName): boolean => Object.hasOwn(reads, name);

// Checks the store: is it there and of this version, can it be written, does its clock agree, what waits in it?
import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { faultKind, StoreUnavailable, UsageError } from "../../core/errors.ts";
import type { SenderRecord } from "../../core/sender.ts";
import type { Budget } from "../../core/spending.ts";
import { proofOf } from "../../core/store-proof.ts";
import { openStore } from "../open/store.ts";
import { checkBudget } from "./budget.ts";
import { checkClock } from "./clock.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";
import { checkWork } from "./work.ts";

export const storeChecks = ["store", "clock", "waiting work", "budget"] as const;

/** Whether a proof is of this store. */
export type ProofCheck = (challenge: string, proof: string) => boolean;

/** `isOurs` is null when it is not known which store it is, `senders` when they could not be read. */
type CheckedStore = {
  findings: Finding[];
  isOurs: ProofCheck | null;
  senders: readonly SenderRecord[] | null;
};

export async function checkStore(
  config: Config["store"],
  clock: Clock,
  budget: Budget,
): Promise<CheckedStore> {
  if (config.url === null && !existsSync(config.path)) {
    const none = warn(
      "store",
      `there is none at ${config.path} yet`,
      "The first start creates it: rouse start",
    );
    return { findings: [none, ...unknown("there is no store yet")], isOurs: () => false, senders: null };
  }
  try {
    const store = await openStore(config, clock);
    try {
      await store.probe();
      const identity = await store.identity();
      const findings = [
        await reachable(config),
        await checkClock(config, store, clock),
        await checkWork(store, clock),
        await checkBudget(store, budget),
      ];
      const isOurs: ProofCheck = (challenge, proof) => proof === proofOf(identity, challenge);
      return { findings, isOurs, senders: await store.listSenders() };
    } finally {
      await store.close();
    }
  } catch (fault) {
    const findings = [unusable(config, fault), ...unknown("the store could not be used")];
    return { findings, isOurs: null, senders: null };
  }
}

async function reachable({ url, path }: Config["store"]): Promise<Finding> {
  const { newestVersion } = await import("../../store/migrations/migrate.ts");
  const where = url === null ? `SQLite at ${path}` : "PostgreSQL";
  return ok("store", `${where} can be written, version ${newestVersion}`);
}

function unusable({ url, path }: Config["store"], fault: unknown): Finding {
  if (fault instanceof UsageError) return fail("store", fault.message, "Then run the doctor again.");
  const reason = fault instanceof StoreUnavailable ? fault.message : faultKind(fault);
  const fix =
    url === null
      ? `Check that ${path} and its folder can be written by this user.`
      : "Check that the database runs and that store.url is right.";
  return fail("store", `cannot be used: ${reason}`, fix);
}

const unknown = (why: string): Finding[] => storeChecks.slice(1).map((check) => notChecked(check, why));

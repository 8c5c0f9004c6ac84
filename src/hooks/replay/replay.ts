// Sends a kept request again through the configuration in use, behind the proof and without any key of its first time.
// The new request has an id of its own and names the one that it repeats.
import { newId } from "../../core/id.ts";
import {
  type Acceptance,
  type Idempotency,
  newRequest,
  type RequestOutcome,
  type Stored,
} from "../../core/request.ts";
import { noSpan } from "../../core/trace.ts";
import { reasonOf } from "../senders/reason.ts";
import { take, type TakeDeps, type Taken } from "../take.ts";
import {
  type CannotReplay,
  type KeptLimits,
  type KeptRequest,
  type Replayable,
  replayable,
} from "./request.ts";

export type ReplayDeps = TakeDeps & {
  clock: { now(): number };
  limits: () => KeptLimits;
  /** Called after each acceptance that is new in the store. */
  onStored?: (acceptance: Acceptance, stored: Stored) => void;
};

export type Replayed = {
  /** Of the new request. */
  readonly id: string;
  readonly replayOf: string;
  readonly outcome: RequestOutcome;
  readonly reason: string | null;
  readonly runIds: readonly string[];
  readonly eventIds: readonly string[];
};

/** `batch`: the request is replayed once in it, however often this is called. */
export type ReplayOptions = { batch?: string | undefined };

export async function replayRequest(
  kept: KeptRequest,
  deps: ReplayDeps,
  { batch }: ReplayOptions = {},
): Promise<Replayed | CannotReplay> {
  const found = replayable(kept, {
    settings: deps.settings(),
    limits: deps.limits(),
    now: deps.clock.now(),
  });
  if ("cannot" in found) return found;
  const replay = { id: newId(), of: kept.record.id };
  const idempotency = batch === undefined ? null : batchKey(batch, kept.record.id);
  const asked = { ...found, request: { ...found.request, idempotency, replay } };
  const taken = await take(asked.hook, asked.request, noSpan, deps);
  return { id: replay.id, replayOf: replay.of, ...(await endOf(taken, asked, deps)) };
}

/** No header can have a key with a blank. */
export const batchKey = (batch: string, id: string): Idempotency => ({
  key: `replay ${batch} ${id}`,
  fingerprint: "replay",
});

type End = Omit<Replayed, "id" | "replayOf">;

async function endOf(taken: Taken, asked: Replayable, deps: ReplayDeps): Promise<End> {
  const nothing = { runIds: [], eventIds: [] };
  switch (taken.kind) {
    case "accepted": {
      const { acceptance, stored } = taken;
      deps.onStored?.(acceptance, stored);
      const runIds = acceptance.runs.map(({ id }) => id);
      const eventIds = acceptance.events.map(({ id }) => id);
      return { outcome: "accepted", reason: null, runIds, eventIds };
    }
    case "repeated":
      return { outcome: "repeated", reason: "it was replayed in this batch before", ...nothing };
    case "nothing":
      return { ...taken.nothing, ...nothing };
    case "refused": {
      const outcome = taken.refusal.refused === "queue-full" ? "full" : "refused";
      const reason = reasonOf(taken.refusal);
      await record(asked, { outcome, reason }, deps);
      return { outcome, reason, ...nothing };
    }
  }
}

async function record(
  { hook, request: { replay, credential = null } }: Replayable,
  end: { outcome: "full" | "refused"; reason: string },
  { store }: ReplayDeps,
): Promise<void> {
  const about = { id: replay!.id, replayOf: replay!.of, hook: hook.name, credential };
  await store.recordRequest({ request: newRequest({ ...about, origin: "replay" }), ...end });
}

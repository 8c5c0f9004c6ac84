// Sends a kept request again through the configuration in use, behind the proof and without any key of its first time.
// The new request has an id of its own and names the one that it repeats.
import { newId } from "../../core/id.ts";
import { reasonOf } from "../../core/errors.ts";
import type { Acceptance, Idempotency, RequestOutcome, Stored } from "../../core/request.ts";
import { noSpan } from "../../core/trace.ts";
import { take, type TakeDeps, type Taken } from "../take.ts";
import { type CannotReplay, type KeptRequest, replayable } from "./request.ts";

export type ReplayDeps = Omit<TakeDeps, "unused"> & {
  clock: { now(): number };
  /** Called after each acceptance that is new in the store. */
  onStored?: (acceptance: Acceptance, stored: Stored) => void;
};

export type Replayed = {
  /** Of the new request. Where `hooks.keepRequests` is 0, an accepted one is not kept. */
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
  const found = replayable(kept, { settings: deps.settings(), now: deps.clock.now() });
  if ("cannot" in found) return found;
  const id = newId();
  const replayOf = kept.record.id;
  const idempotency = batch === undefined ? null : batchKey(batch, replayOf);
  const asked = { ...found.request, id, replayOf, idempotency };
  const taken = await take(found.hook, asked, noSpan, { ...deps, unused });
  return { id, replayOf, ...(await endOf(taken, deps)) };
}

/** For mismatches, which there are none of: the key of a batch has one fingerprint. */
const unused: TakeDeps["unused"] = { add() {} };

/** No header can have a key with a blank. */
export const batchKey = (batch: string, id: string): Idempotency => ({
  key: `replay ${batch} ${id}`,
  fingerprint: "replay",
});

type End = Omit<Replayed, "id" | "replayOf">;

async function endOf(taken: Taken, deps: ReplayDeps): Promise<End> {
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
      const { refusal, request } = taken;
      const outcome = refusal.refused === "queue-full" ? "full" : "refused";
      const reason = reasonOf(refusal);
      await deps.store.recordRequest({ request, outcome, reason });
      return { outcome, reason, ...nothing };
    }
  }
}

// Makes what the ladder of senders needs and what outlives a configuration.
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Store } from "../../store/ports/store.ts";
import { createCalls } from "./calls.ts";
import { createDiagnosis } from "./changed-body.ts";
import type { SenderParts } from "./climb.ts";
import { createDocuments } from "./documents.ts";
import { fetchText } from "./fetch-text.ts";
import { createPairedKeys } from "./pairing.ts";
import { createPlaces, type PlaceLimits, usualPlaceLimits } from "./places.ts";

export type SenderPartsOptions = Pick<SenderParts, "failures"> & {
  store: Pick<Store, "noteCalls" | "senderKeys" | "takeKey">;
  clock: Clock;
  log: Log;
  placeLimits?: PlaceLimits;
  bodyTimeoutMs?: number;
};

const usualBodyTimeoutMs = 10_000;

export const createSenderParts = ({
  store,
  clock,
  log,
  failures,
  placeLimits = usualPlaceLimits,
  bodyTimeoutMs = usualBodyTimeoutMs,
}: SenderPartsOptions): SenderParts => ({
  places: createPlaces(clock, placeLimits),
  failures,
  keys: createPairedKeys({ store, clock }),
  calls: createCalls({ store, clock, log }),
  diagnosis: createDiagnosis(clock),
  findDocument: createDocuments({ clock, fetchText }),
  fetchText,
  bodyTimeoutMs,
});

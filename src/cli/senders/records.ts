// What the store keeps of senders: how their calls went, and keys that arrived by request.
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Store } from "../../store/ports/store.ts";
import { openStore } from "../open/store.ts";

/** Calls of one sender with one result: `proven`, or the class of a failed proof. */
export type CallCount = {
  readonly result: string;
  readonly calls: number;
  readonly lastAt: number;
  /** How far the sender's time was from ours at the last one; null where it named none. */
  readonly skewMs: number | null;
};

export type SenderStatistics = {
  readonly name: string;
  readonly calls: readonly CallCount[];
  readonly keyTakenAt: number | null;
  /** For how long a key that arrives by request is taken; null while none is. */
  readonly pairingMs: number | null;
};

export type SenderRecords = {
  listSenders(): Promise<readonly SenderStatistics[]>;
  /** False: a key is there, and nothing was changed. */
  openPairing(pairing: { name: string; forMs: number }): Promise<boolean>;
  /** False: there was neither a key nor a window. */
  forgetKey(name: string): Promise<boolean>;
  senderKeys(): Promise<ReadonlyMap<string, string>>;
};

type Closing = Pick<Store, "close">;

/** Null: this store keeps none. */
export function recordsIn(store: Closing & Partial<SenderRecords>): (Closing & SenderRecords) | null {
  const { listSenders, openPairing, forgetKey, senderKeys } = store;
  if (!listSenders || !openPairing || !forgetKey || !senderKeys) return null;
  return { close: () => store.close(), listSenders, openPairing, forgetKey, senderKeys };
}

export type OpenRecords = (
  config: Config["store"],
  clock: Clock,
) => Promise<(Closing & SenderRecords) | null>;

export const openRecords: OpenRecords = async (config, clock) => {
  const store = await openStore(config, clock);
  const records = recordsIn(store);
  if (records === null) await store.close();
  return records;
};

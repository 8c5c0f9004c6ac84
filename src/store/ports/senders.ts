// Senders: how their calls went, and keys that arrived by request.
import type { SenderCalls, SenderRecord } from "../../core/sender.ts";

export type Senders = {
  /** Adds to the counts. */
  noteCalls(calls: readonly SenderCalls[]): Promise<void>;
  /** Those that have called, or for which a key is there or awaited; by name. */
  listSenders(): Promise<SenderRecord[]>;
  /** For this long, the first key that arrives is taken. False: a key is there, and nothing was changed. */
  openPairing(pairing: { name: string; forMs: number }): Promise<boolean>;
  /** Stores the key of a sender. False: nobody waits for one, or one is there. */
  takeKey(key: { name: string; secret: string }): Promise<boolean>;
  /** Forgets a sender's key, and closes its window. False: there was neither. */
  forgetKey(name: string): Promise<boolean>;
  /** The keys that arrived, by sender. */
  senderKeys(): Promise<ReadonlyMap<string, string>>;
};

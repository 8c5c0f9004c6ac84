// A mailbox that is watched, with the requests that are for it.
import type { Exchange } from "../http/exchange.ts";

export type SyncedAccount = {
  start(): void;
  /** Whether a request of this target is for it. */
  handles(target: string): boolean;
  handle(exchange: Exchange): void;
  stop(): Promise<void>;
};

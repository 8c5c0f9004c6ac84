// A configured mailbox that is kept in sync, with the HTTP requests that are meant for it.
import type { Exchange } from "../http/exchange.ts";

export type SyncedAccount = {
  start(): void;
  /** Whether a request with this target is meant for it. */
  handles(target: string): boolean;
  handle(exchange: Exchange): void;
  stop(): Promise<void>;
};

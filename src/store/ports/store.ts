// The store port: everything durable, as verbs of the domain.
//
// The contract, held by `store.contract.ts` on every implementation:
// - A promise that resolves has been committed to disk; one that rejects has changed nothing.
// - `StoreUnavailable` means that the disk is full or the database away; the same call may work later.
// - Changes to a claimed run or delivery need its lease; with a lost lease they change nothing and
//   return false.
// - Text is kept exactly, NUL and lone surrogates included.
import type { Audit } from "./audit.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Events } from "./events.ts";
import type { PausedHooks } from "./hooks.ts";
import type { Mail } from "./mail.ts";
import type { Requests } from "./requests.ts";
import type { Runs } from "./runs.ts";
import type { Searches } from "./search.ts";
import type { Senders } from "./senders.ts";
import type { Transcripts } from "./transcripts.ts";
import type { Upkeep } from "./upkeep.ts";

export type Store = Requests &
  Runs &
  Events &
  Deliveries &
  Transcripts &
  Mail &
  Senders &
  PausedHooks &
  Searches &
  Audit &
  Upkeep;

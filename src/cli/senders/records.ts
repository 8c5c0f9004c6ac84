// What the store keeps of senders: how their calls went, and keys that arrived by request.
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Senders } from "../../store/ports/senders.ts";
import type { Store } from "../../store/ports/store.ts";
import { openStore } from "../open/store.ts";

export type SenderRecords = Pick<Senders, "listSenders" | "openPairing" | "forgetKey" | "senderKeys">;

export type OpenRecords = (
  config: Config["store"],
  clock: Clock,
) => Promise<SenderRecords & Pick<Store, "close">>;

export const openRecords: OpenRecords = openStore;

// Searches of stored things: newest first, behind a position. Several values of one field are alternatives; different
// fields all count.

export type Search = {
  limit: number;
  /** The position behind which to go on; null: from the newest. */
  before: number | null;
  /** The beginning of an id. */
  id?: string;
  /** Stored at or after, and before, these times. */
  since?: number;
  until?: number;
  hooks?: readonly string[];
};

export type RequestSearch = Search & {
  outcomes?: readonly string[];
  /** The status of a run that it led to. */
  statuses?: readonly string[];
  /** The reason, exactly. */
  reason?: string;
};

export type RunSearch = Search & {
  kinds?: readonly string[];
  statuses?: readonly string[];
  agents?: readonly string[];
  sessions?: readonly string[];
  /** The error, exactly. */
  error?: string;
};

export type EventSearch = Search & { /** Shown, or waiting. */ statuses?: readonly string[] };

export type DeliverySearch = Omit<Search, "hooks"> & {
  statuses?: readonly string[];
  channels?: readonly string[];
  runId?: string;
};

/** Behind which conversation a page begins: when it was last used, its agent, its key. */
export type SessionPosition = readonly [lastAt: number, agentId: string, sessionKey: string];

export type SessionSearch = {
  limit: number;
  before: SessionPosition | null;
  agents?: readonly string[];
  sessions?: readonly string[];
};

/** `next`: where the next page begins, also when this one is short; null: nothing is left. */
export type Found<T, Position = number> = { items: T[]; next: Position | null };

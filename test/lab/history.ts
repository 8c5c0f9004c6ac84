// What everyone around Rouse saw in one round. All times are of one clock that the machine's processes share.
import type { Delivery } from "../../src/core/delivery.ts";
import type { Run } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import type { Cell } from "./cells.ts";

export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A client's request with every 2xx it got: one, or several when it was sent again or has a twin. */
export type Asked = {
  /** A word that stands in this request's text and in no other's. */
  marker: string;
  hook: "wake" | "agent";
  /** Requests of one conversation are sent one after another, so `order` is their order. */
  sessionKey: string | null;
  order: number;
  key: string | null;
  chat: string | null;
  answers: readonly Answer[];
};

/** `life` is the process that answered. */
export type Answer = {
  at: number;
  life: string;
  status: number;
  body: Readonly<Record<string, unknown>>;
  replayed: boolean;
};

/** One turn as the agent saw it. It is open until it was answered, or its caller was gone. */
export type Turn = {
  attempt: string;
  runId: string;
  sessionKey: string;
  life: string;
  begunAt: number;
  endedAt: number | null;
  answered: boolean;
  prompt: string;
  /** What the agent was reminded of: replies it gave earlier in the conversation. */
  reminded: readonly string[];
};

/** One message as the platform took it. Parts count from 0. */
export type Received = {
  at: number;
  life: string;
  chat: string;
  runId: string;
  attempt: string;
  part: number;
};

/** What a node did to the store, noted at its store port: when it asked (`from`), and when it was answered (`at`). */
export type Note = { life: string; at: number } & (
  | ({ id: string; lease: string; from: number } & Change)
  /** The store was away. */
  | { kind: "away"; verb: string }
);

/** What a node did with work it had claimed. */
export type Change =
  /** It has the work until then at least, unless it lets go before. */
  | { kind: "held"; until: number }
  /** It may begin the turn. */
  | { kind: "started" }
  /** So many messages of a delivery are stored as sent. */
  | { kind: "booked"; sentMessages: number }
  /** It has ended its work, or given it back. Not sure: the store failed, and may have done it all the same. */
  | ({ kind: "released" } & Release)
  /** It was told that its lease is lost. */
  | { kind: "refused" };
export type Release = { sure: boolean; ended: boolean };

export type Life = { name: string; diedAt: number | null };

export type Histories = {
  cell: Cell;
  asked: readonly Asked[];
  turns: readonly Turn[];
  received: readonly Received[];
  notes: readonly Note[];
  lives: readonly Life[];
  /** Whose process was at the point when the fault came; null when none ever was. */
  victim: string | null;
  /** Hook runs, oldest first. */
  runs: readonly Run[];
  events: readonly SystemEvent[];
  /** Oldest first. */
  deliveries: readonly Delivery[];
  /** What went wrong while the round was played: something that had to come about and did not. */
  troubles: readonly string[];
};

export const markerForm = /m-[a-z0-9]+-\d+-/;

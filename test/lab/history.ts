// What clients, the agent and the platform saw in one round, by the machine's monotonic clock.
import type { Delivery } from "../../src/core/delivery.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import type { Run } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import type { Cell } from "./cells.ts";

export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A client's request with its 2xx responses: several when it was sent again or has a twin. */
export type ClientRequest = {
  /** A word that stands in this request's text and in no other's. */
  marker: string;
  hook: "wake" | "agent";
  /** Requests of one conversation are sent one after another, so `order` is their order. */
  sessionKey: string | null;
  order: number;
  key: string | null;
  chat: string | null;
  responses: readonly ClientResponse[];
};

/** `life` is the process that responded. */
export type ClientResponse = {
  at: number;
  life: string;
  status: number;
  body: Readonly<Record<string, unknown>>;
  replayed: boolean;
};

/** One turn as the agent saw it. It is open until the reply is sent or its caller is gone. */
export type Turn = {
  attempt: string;
  runId: string;
  sessionKey: string;
  life: string;
  startedAt: number;
  endedAt: number | null;
  replied: boolean;
  prompt: string;
  /** The replies of earlier turns that the prompt's history holds. */
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

/** One result as its receiver took it. */
export type ReceivedResult = {
  at: number;
  life: string;
  webhookId: string;
  isSigned: boolean;
  status: string;
  reply: string | null;
};

/** What a node did to the store, noted at its store port: `from` is the start of the call, `at` its end. */
export type Note = { life: string; at: number } & (
  | ({ id: string; lease: string; from: number } & Change)
  /** The store was away. */
  | { kind: "away"; verb: string }
);

/** What a node did with work it had claimed. */
export type Change =
  /** It has the lease at least until then, unless it releases it earlier. */
  | { kind: "held"; until: number }
  /** It may start the turn. */
  | { kind: "started" }
  /** So many messages of a delivery are stored as sent. */
  | { kind: "booked"; sentMessages: number }
  /** It ended or released the work. Not `sure`: the store failed, and may still have stored it. */
  | ({ kind: "released" } & Release)
  /** The store refused the call: the lease is lost. */
  | { kind: "refused" };
export type Release = { sure: boolean; ended: boolean };

export type Life = { name: string; diedAt: number | null };

export type Histories = {
  cell: Cell;
  requests: readonly ClientRequest[];
  turns: readonly Turn[];
  received: readonly Received[];
  results: readonly ReceivedResult[];
  notes: readonly Note[];
  lives: readonly Life[];
  /** The process that was at the point when the fault came; null when none was. */
  victim: string | null;
  /** Hook runs, oldest first. */
  runs: readonly Run[];
  events: readonly SystemEvent[];
  /** What is kept of the requests. */
  kept: readonly RequestRecord[];
  /** Oldest first. */
  deliveries: readonly Delivery[];
  /** Failures of the round itself: something that had to happen and did not. */
  troubles: readonly string[];
};

export const markerForm = /m-[a-z0-9]+-\d+-/;

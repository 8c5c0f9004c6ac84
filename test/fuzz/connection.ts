// Sends inputs in two ways: whole requests one after another on a kept connection, and hostile bytes on a connection
// of their own.
import { connect, type Socket } from "node:net";
import { judge, takeResponse, type Verdict } from "./responses.ts";
import type { Hostile } from "./hostile.ts";
import type { Random } from "./random.ts";
import type { Whole } from "./request.ts";

export type Numbered<T> = { number: number; input: T };

export type Seen = {
  response(number: number, hook: string, verdict: Verdict, bytes: Buffer): void;
  withoutResponse(count: number): void;
  fault(number: number, what: string): void;
};

/** Far above the longest legal wait, 10 s for a head that never comes. */
const boundMs = 40_000;

export type Line = {
  /** Sends them all at once, and resolves when each has a response or the connection has ended. */
  send(burst: readonly Numbered<Whole>[], random: Random): Promise<void>;
  close(): Promise<void>;
};

type Link = {
  socket: Socket;
  received: string;
  isOver: boolean;
  /** The number of responses, and what ended the connection: for the report. */
  responses: number;
  endedBy: string;
  changed: () => void;
};

function createLink(port: number): Link {
  const socket = opened(port);
  const link: Link = { socket, received: "", isOver: false, responses: 0, endedBy: "", changed: () => {} };
  const endBy = (what: string): void => {
    link.endedBy ||= what;
    link.isOver = true;
    link.changed();
  };
  socket.on("error", (fault: NodeJS.ErrnoException) => endBy(fault.code ?? fault.message));
  socket.on("end", () => endBy("end")).on("close", () => endBy("close"));
  socket.on("data", (chunk: Buffer) => {
    link.received += chunk.toString("latin1");
    link.changed();
  });
  return link;
}

/** A connection that is kept; a new one is made when a response has ended it. */
export function createLine(port: number, seen: Seen): Line {
  let kept: Link | null = null;

  /** Takes the responses received so far; false when the connection cannot be used any more. */
  function take(link: Link, waiting: Numbered<Whole>[]): boolean {
    let isOpen = true;
    while (link.received !== "") {
      const isHead = waiting[0]?.input.isHead ?? false;
      const taken = takeResponse(link.received, isHead);
      if (taken === null) break;
      const first = waiting[0];
      if (first === undefined || "fault" in taken) {
        seen.fault(first?.number ?? -1, "fault" in taken ? taken.fault : "a response to no request");
        return false;
      }
      link.received = taken.rest;
      if (taken.response.status === 100) continue;
      const verdict = judge(taken.response, isHead, first.input.hook);
      check(first, verdict);
      waiting.shift();
      link.responses++;
      isOpen &&= !verdict.closes;
    }
    return isOpen && !link.isOver;
  }

  /** Resolves with the number of requests without a response, and why. */
  async function exchange(
    burst: readonly Numbered<Whole>[],
    random: Random,
  ): Promise<{ left: number; why: string }> {
    const link = (kept ??= createLink(port));
    const waiting = [...burst];
    // A response can come before the last chunk is sent.
    const bytes = Buffer.concat(burst.map(({ input }) => input.bytes));
    const sent = new Promise<void>((resolve) => write(link.socket, bytes, random, resolve));
    const isOpen = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        seen.fault(waiting[0]?.number ?? -1, `no response within ${boundMs} ms`);
        resolve(false);
      }, boundMs);
      link.changed = () => {
        const isOpen = take(link, waiting);
        if (isOpen && waiting.length > 0) return;
        clearTimeout(timer);
        resolve(isOpen);
      };
      link.changed();
    });
    link.changed = () => {};
    if (isOpen) await sent;
    else {
      link.socket.destroy();
      kept = null;
    }
    return { left: waiting.length, why: `${link.endedBy}, after ${link.responses} responses` };
  }

  function check({ number, input }: Numbered<Whole>, verdict: Verdict): void {
    const wasAccepted = verdict.outcome.startsWith("2");
    if (input.accepted === "no" && wasAccepted) seen.fault(number, "it was accepted without the token");
    if (verdict.outcome === "queue-full" && !mayWait(input.hook)) seen.fault(number, "the queue is full");
    // Readiness is about this very moment.
    const isBusy = verdict.outcome === "queue-full" || verdict.outcome === "store-unavailable";
    if (input.accepted === "yes" && !wasAccepted && !isBusy)
      seen.fault(number, `a good request to ${input.hook} got ${verdict.outcome}`);
    seen.response(number, input.hook, verdict, input.bytes);
  }

  return {
    async send(burst, random) {
      const { left, why } = await exchange(burst, random);
      if (left === 0) return;
      // A response may have ended the connection. Requests behind it may have been handled, or not.
      if (left === burst.length && burst.length > 0)
        seen.fault(burst[0]!.number, `the connection ended without a response (${why})`);
      seen.withoutResponse(left);
    },
    async close() {
      const socket = kept?.socket;
      kept = null;
      if (!socket || socket.destroyed) return;
      await new Promise<void>((resolve) => socket.once("close", () => resolve()).destroy());
    },
  };
}

/** Sends the bytes and then does as the input says. Resolves when the connection is over. */
export function attack(
  port: number,
  { number, input }: Numbered<Hostile>,
  random: Random,
  seen: Seen,
): Promise<void> {
  const { bytes, ending, hook } = input;
  const socket = opened(port);
  let received = "";
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      seen.fault(number, `the connection was still open after ${boundMs} ms (${ending})`);
      socket.destroy();
    }, boundMs);
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
    let endedBy = "no fault";
    socket.on("error", (fault: NodeJS.ErrnoException) => (endedBy = fault.code ?? fault.message));
    // End with the other side.
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      const verdicts = read(received, { number, hook }, seen);
      for (const verdict of verdicts) seen.response(number, hook, verdict, bytes);
      const needsResponse = ending !== "reset" && /[^\s]/.test(bytes.toString("latin1"));
      if (needsResponse && verdicts.length === 0)
        seen.fault(number, `no response before the connection ended (${ending}, ${endedBy})`);
      seen.withoutResponse(1);
      resolve();
    });
    write(socket, bytes, random, () => {
      if (ending === "end") socket.end();
      else if (ending === "reset") socket.resetAndDestroy();
    });
  });
}

/** All responses of a connection; half a response is a fault. */
function read(received: string, { number, hook }: { number: number; hook: string }, seen: Seen): Verdict[] {
  const verdicts: Verdict[] = [];
  let rest = received;
  while (rest !== "") {
    // A request may have become a HEAD by chance: then another response follows the head, or nothing.
    const isHead = !/\r\n\r\n[{#]/.test(rest.slice(0, rest.indexOf("\r\n\r\n") + 5));
    const taken = takeResponse(rest, isHead);
    if (taken === null || "fault" in taken) {
      seen.fault(number, taken?.fault ?? `half a response: ${rest.slice(0, 120)}`);
      return verdicts;
    }
    rest = taken.rest;
    if (taken.response.status !== 100) verdicts.push(judge(taken.response, isHead, hook));
  }
  return verdicts;
}

function opened(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  return socket;
}

/** Sometimes in chunks, so that a boundary can be anywhere. */
function write(socket: Socket, bytes: Buffer, random: Random, done: () => void = () => {}): void {
  if (bytes.length === 0 || random.chance(0.9)) return void socket.write(bytes, done);
  const cuts = Array.from({ length: 1 + random.below(4) }, () => random.below(bytes.length)).toSorted(
    (a, b) => a - b,
  );
  const chunks = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
  const next = (): void => {
    const chunk = chunks.shift();
    if (chunk === undefined || socket.destroyed) return done();
    socket.write(chunk, () => setImmediate(next));
  };
  next();
}

/** For a transform's process, or for the thread that renders: on a busy machine longer than they let anyone wait. */
const mayWait = (hook: string): boolean => hook === "changed" || hook.startsWith("hurt/");

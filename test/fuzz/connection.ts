// The two ways an input is sent: whole requests one behind another on a connection that is kept, and hostile bytes on
// a connection of their own.
import { connect, type Socket } from "node:net";
import { judge, takeAnswer, type Verdict } from "./answers.ts";
import type { Hostile } from "./hostile.ts";
import type { Random } from "./random.ts";
import type { Whole } from "./request.ts";

export type Numbered<T> = { number: number; input: T };

export type Seen = {
  answer(number: number, hook: string, verdict: Verdict, bytes: Buffer): void;
  unanswered(count: number): void;
  fault(number: number, what: string): void;
};

/** Far above what anything here may take: the longest is a head that never comes, which gets 10 s. */
const boundMs = 40_000;

export type Line = {
  /** Sends them all at once, and resolves when each is answered or the connection has ended. */
  send(burst: readonly Numbered<Whole>[], random: Random): Promise<void>;
  close(): Promise<void>;
};

type Link = {
  socket: Socket;
  received: string;
  isOver: boolean;
  /** How many it has had an answer to, and what ended it: for the report. */
  answered: number;
  endedBy: string;
  changed: () => void;
};

function createLink(port: number): Link {
  const socket = opened(port);
  const link: Link = { socket, received: "", isOver: false, answered: 0, endedBy: "", changed: () => {} };
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

/** A connection that is kept; a new one is made when an answer has ended it. */
export function createLine(port: number, seen: Seen): Line {
  let kept: Link | null = null;

  /** Takes the answers that are there; false when the connection cannot be used any more. */
  function take(link: Link, waiting: Numbered<Whole>[]): boolean {
    let isOpen = true;
    while (link.received !== "") {
      const isHead = waiting[0]?.input.isHead ?? false;
      const taken = takeAnswer(link.received, isHead);
      if (taken === null) break;
      const first = waiting[0];
      if (first === undefined || "fault" in taken) {
        seen.fault(first?.number ?? -1, "fault" in taken ? taken.fault : "an answer to nothing");
        return false;
      }
      link.received = taken.rest;
      if (taken.answer.status === 100) continue;
      const verdict = judge(taken.answer, isHead, first.input.hook);
      check(first, verdict);
      waiting.shift();
      link.answered++;
      isOpen &&= !verdict.closes;
    }
    return isOpen && !link.isOver;
  }

  /** Answers how many have no answer, and how that came. */
  async function exchange(
    burst: readonly Numbered<Whole>[],
    random: Random,
  ): Promise<{ left: number; why: string }> {
    const link = (kept ??= createLink(port));
    const waiting = [...burst];
    // An answer can come before the last piece is sent.
    const bytes = Buffer.concat(burst.map(({ input }) => input.bytes));
    const sent = new Promise<void>((resolve) => write(link.socket, bytes, random, resolve));
    const isOpen = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        seen.fault(waiting[0]?.number ?? -1, `no answer within ${boundMs} ms`);
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
    return { left: waiting.length, why: `${link.endedBy}, after ${link.answered} answers` };
  }

  function check({ number, input }: Numbered<Whole>, verdict: Verdict): void {
    const wasAccepted = verdict.outcome.startsWith("2");
    if (input.accepted === "no" && wasAccepted) seen.fault(number, "it was accepted without the token");
    if (verdict.outcome === "queue-full" && input.hook !== "changed") seen.fault(number, "the queue is full");
    // Transforms have few threads, and readiness is about this very moment.
    const isBusy = verdict.outcome === "queue-full" || verdict.outcome === "store-unavailable";
    if (input.accepted === "yes" && !wasAccepted && !isBusy)
      seen.fault(number, `a good request to ${input.hook} was answered with ${verdict.outcome}`);
    seen.answer(number, input.hook, verdict, input.bytes);
  }

  return {
    async send(burst, random) {
      const { left, why } = await exchange(burst, random);
      if (left === 0) return;
      // An answer may have ended the connection before them. What came behind it can have been handled, or not.
      if (left === burst.length && burst.length > 0)
        seen.fault(burst[0]!.number, `the connection ended without an answer (${why})`);
      seen.unanswered(left);
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
    // The other side has ended: so do we.
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      const answers = read(received, { number, hook }, seen);
      for (const verdict of answers) seen.answer(number, hook, verdict, bytes);
      const wantsAnswer = ending !== "reset" && /[^\s]/.test(bytes.toString("latin1"));
      if (wantsAnswer && answers.length === 0)
        seen.fault(number, `no answer before the connection ended (${ending}, ${endedBy})`);
      seen.unanswered(1);
      resolve();
    });
    write(socket, bytes, random, () => {
      if (ending === "end") socket.end();
      else if (ending === "reset") socket.resetAndDestroy();
    });
  });
}

/** All answers of a connection; half an answer is a fault. */
function read(received: string, { number, hook }: { number: number; hook: string }, seen: Seen): Verdict[] {
  const verdicts: Verdict[] = [];
  let rest = received;
  while (rest !== "") {
    // A request may have become a HEAD by chance: then the next thing is another answer, or nothing.
    const isHead = !/\r\n\r\n[{#]/.test(rest.slice(0, rest.indexOf("\r\n\r\n") + 5));
    const taken = takeAnswer(rest, isHead);
    if (taken === null || "fault" in taken) {
      seen.fault(number, taken?.fault ?? `half an answer: ${rest.slice(0, 120)}`);
      return verdicts;
    }
    rest = taken.rest;
    if (taken.answer.status !== 100) verdicts.push(judge(taken.answer, isHead, hook));
  }
  return verdicts;
}

function opened(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  return socket;
}

/** Sometimes in pieces, so that a boundary can be anywhere. */
function write(socket: Socket, bytes: Buffer, random: Random, done: () => void = () => {}): void {
  if (bytes.length === 0 || random.chance(0.9)) return void socket.write(bytes, done);
  const cuts = Array.from({ length: 1 + random.below(4) }, () => random.below(bytes.length)).toSorted(
    (a, b) => a - b,
  );
  const pieces = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
  const next = (): void => {
    const piece = pieces.shift();
    if (piece === undefined || socket.destroyed) return done();
    socket.write(piece, () => setImmediate(next));
  };
  next();
}

// How any durable queue is worked: claim as much as there is room for, handle it in parallel, claim again when a
// place frees, when someone says there is more, or when the next item comes due. An item can free its place before it
// is handled whole: what is left, storing its end, goes on beside what is claimed next. While nothing waits, a place can
// be had for an item that is only about to be stored: it is then stored as claimed, and needs no claim.
//
//   resting ──kick, timer, place freed──▶ claiming ──room left──▶ resting (until the next is due)
//                                            │  └──full──▶ waiting for a place
//                                            └──store away──▶ backing off ──timer──▶ claiming
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { backOffMs } from "../core/retry.ts";
import { createSlots } from "../core/slots.ts";

export type LoopOptions<T> = {
  /** What is worked, for the log. */
  name: string;
  clock: Clock;
  log: Log;
  pollMs?: number;
  random?: () => number;
  capacity: () => number;
  claim: (limit: number) => Promise<{ claimed: T[]; nextInMs: number | null }>;
  /** Never rejects; a fault in it is logged. What was claimed is always handled, also after `stop`. */
  handle: (item: T, freePlace: () => void) => Promise<void>;
  /** Whether another item may come due by the end of this one; if not, no claim is made for it. */
  opensNext?: (item: T) => boolean;
  /** There is, or may be, more than there are places for: another node may have some. */
  onFull?: () => void;
};

/** For one item that is about to be stored. One of the two is called, once. */
export type Place<T> = { take(item: T): void; free(): void };

export type Loop<T> = {
  start(): void;
  /** There is more to do. */
  kick(): void;
  /** Another node says, or it is guessed, that there may be more to do. Unlike a kick, it is not passed on when full. */
  look(): void;
  /** Null when there is no place, or others have waited longer. */
  reserve(): Place<T> | null;
  /** One claim, resolved when all it brought has been handled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more. */
  stop(): void;
  /** Claims no more, and resolves when all in hand has been handled. */
  drain(): Promise<void>;
  busy(): number;
};

const shortestRestMs = 10;
const awayBackOff = { firstMs: 200, longestMs: 5000 };

export function createLoop<T>(options: LoopOptions<T>): Loop<T> {
  const { name, clock, log, pollMs = 1000, random = Math.random, capacity, handle, onFull } = options;
  const { opensNext = () => true } = options;
  const inHand = createSlots<Promise<void>>();
  let taken = 0;
  /** How many the claim that is under way may bring. */
  let expected = 0;
  let state: "new" | "going" | "stopped" = "new";
  let claiming: Promise<void> | null = null;
  let again = false;
  /** The last claim may have left something behind for want of places. */
  let leftSome = false;
  let waking = false;
  let failures = 0;
  let takeBackTimer = () => {};

  function begin(item: T): Promise<void> {
    let free = false;
    const freePlace = (): void => {
      if (free) return;
      free = true;
      taken--;
      if (leftSome) wake();
    };
    const handled = handle(item, freePlace)
      .catch((fault: unknown) => log.error(`handling ${name} broke`, { kind: faultKind(fault) }))
      .finally(() => {
        void inHand.take(at);
        freePlace();
        if (leftSome || opensNext(item)) wake();
      });
    const at = inHand.put(handled);
    return handled;
  }

  /** When ends cannot be stored, as many as there are places wait for it, and no more is claimed. */
  const places = (): number => Math.min(capacity() - taken, 2 * capacity() - inHand.size);

  /** Answers what began, and how long to rest when nothing else happens. */
  async function claimOnce(limit: number): Promise<{ begun: Promise<void>[]; restMs: number }> {
    try {
      const { claimed, nextInMs } = await options.claim(limit);
      if (failures > 0) log.info(`${name} can be claimed again`, { count: failures });
      failures = 0;
      return {
        begun: claimed.map((item) => {
          taken++;
          return begin(item);
        }),
        restMs: Math.max(shortestRestMs, Math.min(nextInMs ?? pollMs, pollMs)),
      };
    } catch (fault) {
      if (failures++ === 0) log.warn(`${name} cannot be claimed now`, { kind: faultKind(fault) });
      return { begun: [], restMs: backOffMs(failures, awayBackOff, random()) };
    }
  }

  function pump(): void {
    if (state !== "going") return;
    if (claiming) {
      again = true;
      return;
    }
    const limit = places();
    if (limit <= 0) {
      leftSome = true;
      return rest(pollMs);
    }
    takeBackTimer();
    again = false;
    expected = limit;
    claiming = claimThenRest(limit);
  }

  async function claimThenRest(limit: number): Promise<void> {
    const { begun, restMs } = await claimOnce(limit);
    claiming = null;
    expected = 0;
    leftSome = begun.length === limit;
    if (leftSome) onFull?.();
    if (again && failures === 0) pump();
    else rest(restMs);
  }

  /**
   * Once for all that happens in this turn of the event loop: places free together, when what filled them was stored
   * together, and are then filled together. While the store is away, only the timer tries again.
   */
  function wake(): void {
    if (waking || failures > 0) return;
    waking = true;
    setImmediate(() => {
      waking = false;
      if (failures === 0) pump();
    });
  }

  function rest(restMs: number): void {
    if (state !== "going") return;
    takeBackTimer();
    takeBackTimer = clock.after(restMs, pump);
  }

  function reserve(): Place<T> | null {
    if (state !== "going" || failures > 0 || leftSome || places() <= expected) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    const at = inHand.put(promise);
    const letGo = (): void => {
      void inHand.take(at);
      resolve();
    };
    taken++;
    return {
      // Whoever stored it first says so to its caller.
      take(item) {
        setImmediate(() => {
          void begin(item);
          letGo();
        });
      },
      free() {
        taken--;
        letGo();
        if (leftSome) wake();
      },
    };
  }

  function stop(): void {
    state = "stopped";
    takeBackTimer();
  }

  return {
    start() {
      if (state !== "new") return;
      state = "going";
      pump();
    },
    kick() {
      if (state === "going" && places() <= 0) onFull?.();
      wake();
    },
    look: wake,
    reserve,
    async tick() {
      const limit = places();
      if (limit > 0) await Promise.all((await claimOnce(limit)).begun);
    },
    stop,
    async drain() {
      stop();
      await claiming;
      while (inHand.size > 0) await Promise.all(inHand.values());
    },
    busy: () => inHand.size,
  };
}

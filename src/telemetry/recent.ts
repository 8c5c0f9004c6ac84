// What came of requests, runs and deliveries on this node in the last hour, in steps of half a minute. Counted as it
// happens, so that asking reads nothing.
import type { Clock } from "../core/clock.ts";
import type { Metrics, RequestCode } from "../core/metrics.ts";

const stepMs = 30_000;
const steps = 120;

const kinds = {
  requests: ["accepted", "repeated", "skipped", "refused", "unauthorized", "failed", "full"],
  runs: ["succeeded", "failed", "timed-out", "cancelled"],
  deliveries: ["sent", "failed", "unknown", "suppressed"],
} as const;
type Kind = keyof typeof kinds;

/** By outcome, the numbers of each step, the oldest first. */
export type Outcomes = Readonly<Record<string, readonly number[]>>;
export type RecentOutcomes = { stepSeconds: number; until: number } & Readonly<Record<Kind, Outcomes>>;

export type Recent = Pick<Metrics, "requestEnded" | "runEnded" | "deliveryEnded"> & {
  read(): RecentOutcomes;
};

export function createRecent(clock: Pick<Clock, "now">): Recent {
  const counts = new Map<string, Uint32Array>();
  let newest = Math.floor(clock.now() / stepMs);

  /** Forgets what is older than an hour. A clock that was set back goes on in the newest step. */
  function advance(): void {
    const now = Math.floor(clock.now() / stepMs);
    for (let step = Math.max(newest + 1, now - steps + 1); step <= now; step++)
      for (const each of counts.values()) each[step % steps] = 0;
    newest = Math.max(newest, now);
  }

  function count(kind: Kind, outcome: string): void {
    advance();
    const key = `${kind} ${outcome}`;
    const known = counts.get(key) ?? new Uint32Array(steps);
    counts.set(key, known);
    known[newest % steps]!++;
  }

  function outcomesOf(kind: Kind): Outcomes {
    return Object.fromEntries(
      kinds[kind].map((outcome) => {
        const known = counts.get(`${kind} ${outcome}`);
        return [outcome, Array.from({ length: steps }, (_, at) => known?.[(newest + 1 + at) % steps] ?? 0)];
      }),
    );
  }

  return {
    requestEnded(_hook, code) {
      if (code !== "handshake") count("requests", outcomes[code] ?? "refused");
    },
    runEnded: (_run, outcome) => count("runs", outcome),
    deliveryEnded: (_channel, outcome) => count("deliveries", outcome),
    read() {
      advance();
      return {
        stepSeconds: stepMs / 1000,
        until: (newest + 1) * stepMs,
        requests: outcomesOf("requests"),
        runs: outcomesOf("runs"),
        deliveries: outcomesOf("deliveries"),
      };
    },
  };
}

const outcomes: Partial<Record<RequestCode, (typeof kinds.requests)[number]>> = {
  accepted: "accepted",
  skipped: "skipped",
  replayed: "repeated",
  unauthorized: "unauthorized",
  "too-many-failures": "unauthorized",
  "mapping-failed": "failed",
  "internal-error": "failed",
  "store-unavailable": "failed",
  "queue-full": "full",
};

/** The metrics, with what is counted of the last hour. */
export const withRecent = <M extends Metrics>(metrics: M, recent: Recent): M => ({
  ...metrics,
  requestEnded(hook, code, seconds) {
    metrics.requestEnded(hook, code, seconds);
    recent.requestEnded(hook, code, seconds);
  },
  runEnded(run, outcome, seconds) {
    metrics.runEnded(run, outcome, seconds);
    recent.runEnded(run, outcome, seconds);
  },
  deliveryEnded(channel, outcome, seconds) {
    metrics.deliveryEnded(channel, outcome, seconds);
    recent.deliveryEnded(channel, outcome, seconds);
  },
});

// `GET /metrics`. A caller on this machine's loopback needs no token. Any other needs `gateway.auth.token`; where none
// is set, the page does not exist for them.
import { isFromHere } from "../http/local.ts";
import type { Clock } from "../core/clock.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import { type ClientAddress } from "../http/client-address.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Guard } from "../http/guard.ts";
import { sendRefusal, sendText } from "../http/respond.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import type { Backlog } from "../core/backlog.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsBook } from "../telemetry/metrics.ts";
import type { ProcessStats } from "../telemetry/process.ts";
import type { State, StoredWork } from "../telemetry/state.ts";

export type MetricsAccess = {
  /** Checks `gateway.auth.token`; null where none is set. */
  guard: Guard | null;
  clientAddress: ClientAddress;
};

export type MetricsPageOptions = {
  access: () => MetricsAccess;
  failures: FailureCounter;
  book: Pick<MetricsBook, "authFailed" | "render">;
  store: Pick<Store, "backlog">;
  isStoreUp: () => Promise<boolean>;
  now: () => Pick<State, "connections" | "inHand">;
  process: Pick<ProcessStats, "read">;
  clock: Clock;
};

export type MetricsPage = { matches(target: string): boolean; handle(exchange: Exchange): void };

const contentType = "text/plain; version=0.0.4; charset=utf-8";
const freshMs = 1000;
const longestReadMs = 3000;

export function createMetricsPage(options: MetricsPageOptions): MetricsPage {
  const { access, failures, book, store, isStoreUp, now, process, clock } = options;
  const readWork = createWorkReader({ store, clock });

  async function tokenRefusal({ request }: Exchange): Promise<Refusal | null> {
    const { guard, clientAddress } = access();
    if (isFromHere(request)) return null;
    const verdict = guard?.check(request.rawHeaders) ?? "wrong";
    if (verdict === "ok") return null;
    if (verdict === "repeated") return refuse("repeated-header");
    book.authFailed();
    const address = clientAddress(request.socket.remoteAddress, request.rawHeaders);
    const seconds = await failures.fail(address);
    return seconds === null
      ? refuse("unauthorized")
      : refuse("too-many-failures", { retryAfterSeconds: seconds });
  }

  async function respond(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    if (access().guard === null && !isFromHere(request)) return sendRefusal(exchange, refuse("not-found"));
    if (request.method !== "GET" && request.method !== "HEAD")
      return sendRefusal(exchange, refuse("method-not-allowed", { allow: "GET, HEAD" }));
    const refusal = await tokenRefusal(exchange);
    if (refusal !== null) return sendRefusal(exchange, refusal);
    const [work, storeUp] = await Promise.all([readWork(), isStoreUp()]);
    sendText(exchange, book.render({ work, storeUp, process: process.read(), ...now() }), contentType);
  }

  return {
    matches: (target) => target === "/metrics" || target.startsWith("/metrics?"),
    handle: (exchange) => void respond(exchange).catch(() => sendRefusal(exchange, refuse("internal-error"))),
  };
}

/** Reads the store at most once a second, however many callers ask; null when it is away or too slow. */
function createWorkReader({ store, clock }: { store: Pick<Store, "backlog">; clock: Clock }) {
  let read: Promise<StoredWork | null> | null = null;
  let readAt = -Infinity;

  async function readNow(): Promise<StoredWork | null> {
    const late = Promise.withResolvers<null>();
    const cancelTimer = clock.after(longestReadMs, () => late.resolve(null));
    const backlog = store.backlog().then(workOf, () => null);
    return Promise.race([backlog, late.promise]).finally(cancelTimer);
  }

  return (): Promise<StoredWork | null> => {
    if (read !== null && clock.monotonic() - readAt < freshMs) return read;
    readAt = clock.monotonic();
    return (read = readNow());
  };
}

const workOf = ({ oldestMs, deliveries, ...counts }: Backlog): StoredWork => ({
  ...counts,
  oldestSeconds: (oldestMs ?? 0) / 1000,
  deliveries: deliveries.map((each) => ({
    channel: each.channel,
    waiting: each.waiting,
    oldestSeconds: each.oldestMs / 1000,
  })),
});

// The admin API, under `/api/v1`: absent without `gateway.auth.token`. A request passes, in this order: its host name,
// its token, the limit of requests, its path and method, its body, its parameters. What it does is in `routes/`.
import { faultKind, isRefusal, refuse, stopping } from "../core/errors.ts";
import { createKeyQueues, type KeyQueues } from "../hooks/key-queues.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendBytes, sendJson } from "../http/respond.ts";
import { actorOf, hostRefusal } from "./frame/access.ts";
import { perform, refusalFor } from "./frame/call.ts";
import type { ApiDeps } from "./frame/deps.ts";
import { apiPath, findRoute } from "./frame/find-route.ts";
import { sendProblem, sendStoredProblem } from "./frame/problem.ts";
import { createRateLimit, rateHeaders, type RateLimit } from "./frame/rate-limit.ts";
import { readJsonBody } from "./frame/read-input.ts";
import type { Reply, Route } from "./frame/route.ts";
import { createReplays } from "./actions/replay.ts";
import { createStreams } from "./frame/streams.ts";

export type Api = {
  /** Only while a gateway token is set. */
  matches(target: string): boolean;
  handle(exchange: Exchange): void;
  /** Ends streams and replays that go on. */
  stop(): Promise<void>;
};

export type ApiOptions = Omit<ApiDeps, "streams" | "replays">;

type Frame = { deps: ApiDeps; limit: RateLimit; keyQueues: KeyQueues; loadRoutes: LoadRoutes };

/** Nobody on the way keeps a response, and no browser takes one for a page. */
const safeHeaders = ["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const;

type LoadRoutes = () => Promise<readonly Route[]>;

/** Loaded for the first request: most gateways start without ever being asked. */
const ownRoutes: LoadRoutes = async () => (await import("./routes/index.ts")).routes;

export function createApi(options: ApiOptions, loadRoutes: LoadRoutes = ownRoutes): Api {
  const streams = createStreams(options.clock);
  const replays = createReplays({ ...options.replaying, log: options.log });
  const deps: ApiDeps = { ...options, streams, replays };
  const frame = { deps, limit: createRateLimit(deps.clock), keyQueues: createKeyQueues(), loadRoutes };
  return {
    matches: (target) => isBelow(target) && deps.settings().guard !== null,
    handle: (exchange) =>
      void serve(exchange, frame).catch((fault: unknown) => {
        deps.log.error("a request to the admin API failed", { kind: faultKind(fault) });
        sendProblem(exchange, refusalFor(fault), safeHeaders);
      }),
    stop() {
      streams.stop();
      return replays.stop();
    },
  };
}

function isBelow(target: string): boolean {
  if (!target.startsWith(apiPath)) return false;
  const next = target[apiPath.length];
  return next === undefined || next === "/" || next === "?";
}

async function serve(exchange: Exchange, { deps, limit, keyQueues, loadRoutes }: Frame): Promise<void> {
  const misdirected = hostRefusal(exchange, deps.settings());
  if (misdirected !== null) return sendProblem(exchange, misdirected, safeHeaders);
  const actor = await actorOf(exchange, deps);
  if (typeof actor !== "string") return sendProblem(exchange, actor, safeHeaders);
  exchange.authenticated = true;
  const allowance = limit.take(actor);
  const headers = [...safeHeaders, ...rateHeaders(allowance)];
  const tooMany = refuse("too-many-requests", { retryAfterSeconds: allowance.resetSeconds });
  if (!allowance.allowed) return sendProblem(exchange, tooMany, headers);
  if (deps.isStopping()) return sendProblem(exchange, stopping, headers);
  const [path, query] = split(exchange.target);
  const found = findRoute(await loadRoutes(), exchange.request.method, path.slice(apiPath.length));
  if (isRefusal(found)) return sendProblem(exchange, found, headers);
  const bytes = found.route.method === "GET" ? noBytes : await readJsonBody(exchange);
  if (bytes === null) return;
  if (isRefusal(bytes)) return sendProblem(exchange, bytes, headers);
  const reply = await perform({ ...found, query, bytes, actor, exchange, deps, keyQueues });
  if (isRefusal(reply)) sendProblem(exchange, reply, headers);
  else send(exchange, reply, headers);
}

const noBytes = Buffer.alloc(0);

function split(target: string): [path: string, query: string] {
  const at = target.indexOf("?");
  return at === -1 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

function send(exchange: Exchange, reply: Reply, headers: readonly string[]): void {
  if ("stream" in reply) return reply.stream(exchange, headers);
  const all = [...headers, ...(reply.headers ?? [])];
  if ("bytes" in reply) sendBytes(exchange, reply.bytes, all);
  else if (reply.status < 400) sendJson(exchange, reply.status, reply.body, all);
  else sendStoredProblem(exchange, reply, all);
}

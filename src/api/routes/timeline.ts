// The way of one request or run: its timeline, and its events while it goes on.
import { z } from "zod";
import { isRefusal, type Refusal, refuse, stopping } from "../../core/errors.ts";
import { hasEnded, stateNumber } from "../../core/result.ts";
import { sendStreamHead } from "../../http/event-stream.ts";
import { singleHeader } from "../../http/headers.ts";
import { sendEmpty } from "../../http/respond.ts";
import { factsOfRun, requestFacts } from "../../timeline/gather.ts";
import { timelineResource } from "../../timeline/resource.ts";
import { timelineOf } from "../../timeline/timeline.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { sendProblem } from "../frame/problem.ts";
import { timeline } from "../shapes/timeline.ts";
import { found } from "./list.ts";
import { byId } from "./parameters.ts";

const ofRequest = route({
  id: "getRequestTimeline",
  method: "GET",
  path: "/requests/{id}/timeline",
  summary: "Everything that became of one request, step by step.",
  params: byId,
  answer: { status: 200, json: timeline },
  refusals: ["unknown-item"],
  async handle({ params, deps: { store } }): Promise<Reply | Refusal> {
    const item = found(await store.findRequest(params.id), "request", params.id);
    if (isRefusal(item)) return item;
    return ok(timelineResource(timelineOf(await requestFacts(store, item), await store.databaseTime())));
  },
});

const ofRun = route({
  id: "getRunTimeline",
  method: "GET",
  path: "/runs/{id}/timeline",
  summary: "The same for one run, with the request that it came from.",
  params: byId,
  answer: { status: 200, json: timeline },
  refusals: ["unknown-item"],
  async handle({ params, deps: { store } }): Promise<Reply | Refusal> {
    const item = found(await store.findRun(params.id), "run", params.id);
    if (isRefusal(item)) return item;
    return ok(timelineResource(timelineOf(await factsOfRun(store, item), await store.databaseTime())));
  },
});

const events = route({
  id: "followRun",
  method: "GET",
  path: "/runs/{id}/events",
  summary:
    "Server-sent events of one run: `run` (its state, first), `delta`, `tool`, `snapshot`, `end`. After its end, a reconnect with its last id is 204.",
  params: z.strictObject({ id: z.string().min(1).max(100) }),
  answer: { status: 200, type: "text/event-stream", mayBeEmpty: true },
  refusals: ["unknown-item", "too-many-streams"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const run = found(await deps.store.findRun(params.id), "run", params.id);
    if (isRefusal(run)) return run;
    return {
      stream(exchange, headers) {
        const { method, rawHeaders } = exchange.request;
        const lastId = singleHeader(rawHeaders, "last-event-id");
        if (hasEnded(run) && lastId === String(stateNumber(run))) return sendEmpty(exchange, 204, headers);
        if (method === "HEAD") return sendStreamHead(exchange);
        const isResumed = typeof lastId === "string";
        const isOpen = deps.results.stream(exchange, {
          run,
          access: "reply",
          isResumed,
          headers,
          onClose() {},
        });
        if (isOpen) return;
        const full = refuse("too-many-streams", { retryAfterSeconds: 5 });
        sendProblem(exchange, deps.isStopping() ? stopping : full, headers);
      },
    };
  },
});

export const timelineRoutes: readonly Route[] = [ofRequest, ofRun, events];

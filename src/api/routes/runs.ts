// Runs: their list, one of them, and what an operator does to them.
import { z } from "zod";
import { isRefusal, type Refusal } from "../../core/errors.ts";
import { defaultAgent } from "../../config/config.ts";
import { runStatuses } from "../../core/run.ts";
import { planRetries, retryAll, retryResource } from "../actions/retry-failed.ts";
import { cancelRun, releaseRuns, retryRun } from "../actions/runs.ts";
import { runDetails } from "../details.ts";
import { momentOf } from "../frame/moment.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { runResource } from "../resources.ts";
import { count, time } from "../shapes/fields.ts";
import { run, runDetails as runDetailsShape, runKinds } from "../shapes/stored.ts";
import { replyOf } from "./reply.ts";
import { found, list, windowOf } from "./list.ts";
import { byId, dryRun, idPrefix, moment, several, window } from "./parameters.ts";

const runList = list({
  id: "listRuns",
  path: "/runs",
  summary: "Runs, newest first.",
  filters: {
    hook: several("The hook that it came from."),
    agent: several("The agent that works on it."),
    status: z.array(z.enum(runStatuses)).optional().describe("Where it stands."),
    kind: z.array(z.enum(runKinds)).optional().describe("Left out: both."),
    session: several("Its session key."),
    error: z.string().max(2000).optional().describe("Its error, exactly."),
    id: idPrefix,
    ...window,
  },
  item: run,
  search: async ({ hook, agent, status, kind, session, error, id, ...rest }, position, deps) =>
    deps.store.searchRuns({
      ...position,
      ...(await windowOf(rest, deps)),
      ...(hook && { hooks: hook }),
      ...(agent && { agents: agent.map((each) => each.toLowerCase()) }),
      ...(status && { statuses: status }),
      ...(kind && { kinds: kind }),
      ...(session && { sessions: session }),
      ...(error !== undefined && { error }),
      ...(id !== undefined && { id }),
    }),
  toResource: runResource,
});

const oneRun = route({
  id: "getRun",
  method: "GET",
  path: "/runs/{id}",
  summary: "One run, with its transcript and its deliveries.",
  params: byId,
  answer: { status: 200, json: runDetailsShape },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(await deps.store.findRun(params.id), "run", params.id);
    return isRefusal(item) ? item : ok({ ...runResource(item), ...(await runDetails(deps.store, item)) });
  },
});

const retry = route({
  id: "retryRun",
  method: "POST",
  path: "/runs/{id}/retry",
  summary: "Queues a new run with the request of one that has ended.",
  params: byId,
  body: z.strictObject({}),
  bodyOptional: true,
  audited: { verb: "run.retry", subject: ({ id }) => id },
  answer: {
    status: 200,
    json: z.strictObject({ id: z.string(), retryOf: z.string(), status: z.literal("queued") }),
  },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, deps }) {
    const item = found(await deps.store.findRun(params.id), "run", params.id);
    if (isRefusal(item)) return item;
    const result = await retryRun(deps.store, item);
    if (result.done) {
      deps.kick("hook");
      deps.changes.tell({ kind: "run", id: String(result.value["id"]), status: "queued" });
    }
    return replyOf(result);
  },
});

const cancel = route({
  id: "cancelRun",
  method: "POST",
  path: "/runs/{id}/cancel",
  summary: "Ends a waiting run at once; a running one is stopped by its gateway within seconds.",
  params: byId,
  body: z.strictObject({}),
  bodyOptional: true,
  audited: { verb: "run.cancel", subject: ({ id }) => id },
  answer: {
    status: 200,
    json: z.strictObject({ id: z.string(), result: z.enum(["cancelled", "requested"]) }),
  },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, deps }) {
    const item = found(await deps.store.findRun(params.id), "run", params.id);
    if (isRefusal(item)) return item;
    const { agents } = deps.settings().config;
    const result = await cancelRun(deps.store, item, defaultAgent(agents.list).id);
    if (result.done) {
      deps.kick("heartbeat");
      if (result.value["result"] === "cancelled")
        deps.changes.tell({ kind: "run", id: item.id, status: "cancelled" });
    }
    return replyOf(result);
  },
});

const release = route({
  id: "releaseRuns",
  method: "POST",
  path: "/runs/release",
  summary: "Queues parked runs at once: one, those of a hook, or all.",
  body: z
    .strictObject({ id: z.string().optional(), hook: z.string().optional() })
    .refine(
      ({ id, hook }) => id === undefined || hook === undefined,
      "give either an id or a hook, not both",
    ),
  bodyOptional: true,
  audited: {
    verb: "run.release",
    subject: (_, { id, hook }) => id ?? (hook === undefined ? "all" : `hook ${hook}`),
  },
  answer: { status: 200, json: z.strictObject({ released: count }) },
  refusals: ["unknown-item"],
  async handle({ body, deps }) {
    const result = await releaseRuns(deps.store, { id: body.id ?? null, hook: body.hook ?? null });
    if (result.done) {
      deps.kick("hook");
      deps.changes.tell({ kind: "many" });
    }
    return replyOf(result);
  },
});

const failedRuns = z.strictObject({
  since: moment("How far back.").unwrap(),
  hook: z.string().optional(),
  agent: z.string().optional(),
  limit: z.int().min(1).max(1_000_000).optional().describe("At most so many, those that ended first."),
});

const retryFailed = route({
  id: "retryFailedRuns",
  method: "POST",
  path: "/runs/retry",
  summary: "Queues every hook run again that failed or timed out since then and was not retried yet.",
  query: z.strictObject({ dryRun }),
  body: failedRuns,
  audited: {
    verb: "run.retry",
    subject: (_, { since, hook, agent }) =>
      [`failed since ${since}`, hook && `hook ${hook}`, agent && `agent ${agent}`].filter(Boolean).join(", "),
    unless: ({ dryRun: only }) => only,
  },
  answer: {
    status: 200,
    json: z.strictObject({
      since: time,
      until: time,
      count,
      hooks: z.record(z.string(), count),
      agents: z.record(z.string(), count),
      acted: count.describe("How many of them called a tool that changes something, and may do so again."),
      retried: z
        .array(z.strictObject({ id: z.string(), retryOf: z.string(), status: z.literal("queued") }))
        .optional()
        .describe("Absent where it was only a plan."),
    }),
  },
  async handle({ query, body, deps }) {
    const endedUntil = await deps.store.databaseTime();
    const runs = {
      endedFrom: momentOf(body.since, endedUntil)!,
      endedUntil,
      hook: body.hook ?? null,
      agentId: body.agent?.trim().toLowerCase() ?? null,
    };
    const plan = await planRetries(deps.store, { runs, limit: body.limit ?? Infinity });
    if (query.dryRun) return ok(retryResource(plan, runs, null));
    const retried = await retryAll(deps.store, { runs, limit: plan.count });
    if (retried.queued.length > 0) {
      deps.kick("hook");
      deps.changes.tell({ kind: "many" });
    }
    return ok(retryResource(plan, runs, retried));
  },
});

export const runRoutes: readonly Route[] = [runList, release, retryFailed, oneRun, retry, cancel];

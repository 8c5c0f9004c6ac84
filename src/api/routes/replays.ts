// Kept requests sent again through the configuration in use: one, or many at a rate.
import { z } from "zod";
import { isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { newId } from "../../core/id.ts";
import { requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import { decideKept } from "../../hooks/replay/decided.ts";
import { planReplay } from "../../hooks/replay/plan.ts";
import { replayRequest } from "../../hooks/replay/replay.ts";
import type { KeptRequest } from "../../hooks/replay/request.ts";
import { defaultPerMinute, mostPerMinute, planResource, replayingResource } from "../actions/replay.ts";
import type { ApiDeps } from "../frame/deps.ts";
import { momentOf } from "../frame/moment.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { decidedReplay, replayed, replaying, replayPlan } from "../shapes/replay.ts";
import { found, list, pageOf } from "./list.ts";
import { byId, dryRun, moment } from "./parameters.ts";

async function keptOf(id: string, { store }: ApiDeps, payload: unknown): Promise<KeptRequest | Refusal> {
  const record = found(await store.findRequest(id), "request", id);
  if (isRefusal(record)) return record;
  const body = record.hasBody ? await store.requestBody(id) : null;
  return { record, body, ...(payload !== undefined && { payload: Buffer.from(JSON.stringify(payload)) }) };
}

const one = route({
  id: "replayRequest",
  method: "POST",
  path: "/requests/{id}/replay",
  summary:
    "Sends a kept request again through the configuration in use, with new ids. A dry run only decides it.",
  params: byId,
  query: z.strictObject({ dryRun }),
  body: z.strictObject({ payload: z.unknown().optional().describe("In place of the kept body, as JSON.") }),
  bodyOptional: true,
  audited: { verb: "request.replay", subject: ({ id }) => id, unless: ({ dryRun: only }) => only },
  answer: { status: 200, json: z.union([replayed, decidedReplay]) },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, query, body, deps }): Promise<Reply | Refusal> {
    const kept = await keptOf(params.id, deps, body.payload);
    if (isRefusal(kept)) return kept;
    const settings = deps.settings().hooks;
    const now = deps.clock.now();
    const result = query.dryRun
      ? await decideKept(kept, { settings, now, transforms: false })
      : await replayRequest(kept, deps.replaying);
    if ("cannot" in result)
      return refuse("conflict", { detail: `Request ${params.id} cannot be replayed: ${result.reason}.` });
    if ("id" in result) deps.changes.tell({ kind: "request", id: result.id, status: result.outcome });
    return ok(result);
  },
});

const selected = z.strictObject({
  hook: z.array(z.string()).max(50).default([]),
  since: moment("How far back.").unwrap(),
  until: moment("Left out: until now."),
  outcome: z.array(z.enum(requestOutcomes)).default([]),
  status: z.array(z.enum(runStatuses)).default([]).describe("Of a run that it led to."),
  limit: z.int().min(1).max(1_000_000).optional().describe("At most so many, the oldest."),
  again: z.boolean().default(false).describe("Also those of which a replay has been accepted."),
  perMinute: z.int().min(1).max(mostPerMinute).default(defaultPerMinute),
  batch: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .describe("To go on with a batch that was stopped: what it has replayed is left out."),
});

const many = route({
  id: "replayRequests",
  method: "POST",
  path: "/requests/replay",
  summary:
    "Replays what was selected, oldest first, at a rate, in the background of this gateway. First ask with `dryRun=true` for the plan.",
  query: z.strictObject({ dryRun }),
  body: selected,
  audited: {
    verb: "request.replay",
    subject: (_, { hook, since, until, outcome, status }) =>
      [`since ${since}`, until && `until ${until}`, ...hook, ...outcome, ...status]
        .filter(Boolean)
        .join(", "),
    unless: ({ dryRun: only }) => only,
  },
  answer: { status: 200, json: replayPlan },
  refusals: ["conflict", "invalid-payload"],
  async handle({ query, body, deps }): Promise<Reply | Refusal> {
    const now = await deps.store.databaseTime();
    const selection = {
      hooks: body.hook,
      since: momentOf(body.since, now)!,
      until: body.until === undefined ? now : momentOf(body.until, now)!,
      outcomes: body.outcome,
      statuses: body.status,
      limit: body.limit ?? null,
    };
    const { settings, store } = deps;
    const planDeps = { store, settings: settings().hooks, now: deps.clock.now() };
    const plan = await planReplay(selection, planDeps, { again: body.again });
    const resource = planResource(plan, selection, body.perMinute);
    if (query.dryRun || plan.ids.length === 0) return ok({ ...resource, batch: null });
    const batch = body.batch ?? newId();
    if (!deps.replays.start(batch, plan.ids, body.perMinute))
      return refuse("conflict", {
        detail: "This batch is being replayed already, or five others are: wait for their end.",
      });
    return ok({ ...resource, batch });
  },
});

const running = list({
  id: "listReplays",
  path: "/replays",
  summary: "The replays of many requests that this gateway has started since its own start, newest first.",
  filters: {},
  item: replaying,
  search: async (_, page, deps) => pageOf(deps.replays.list(), page),
  toResource: replayingResource,
});

const oneRunning = route({
  id: "getReplay",
  method: "GET",
  path: "/replays/{id}",
  summary: "How far one of them is.",
  params: byId,
  answer: { status: 200, json: replaying },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(deps.replays.find(params.id), "replay", params.id);
    return isRefusal(item) ? item : ok(replayingResource(item));
  },
});

export const replayRoutes: readonly Route[] = [many, one, running, oneRunning];

// The hooks of the configuration, and what a request to one of them would do.
import { z } from "zod";
import { isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { mailHook } from "../../core/mail.ts";
import type { Spending } from "../../core/spending.ts";
import { explain, type ExplainedRequest } from "../../hooks/explain/explain.ts";
import { pauseHook, resumeHook } from "../actions/hooks.ts";
import type { ApiDeps, ApiSettings } from "../frame/deps.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { count, optionalText } from "../shapes/fields.ts";
import { hook } from "../shapes/settings.ts";
import { replyOf } from "./reply.ts";
import { found, list, pageOf } from "./list.ts";
import { byName, several } from "./parameters.ts";

type Hook = {
  name: string;
  kind: "built-in" | "mapped" | "sender" | "mail";
  senderKind: string | null;
  mappings: string[];
};

/** Those that the configuration names, in the order of the alphabet behind the built-in ones. */
export function hooksOf({ config }: Pick<ApiSettings, "config">): Hook[] {
  const { mappings, senders, gmail, mail } = config.hooks;
  const paths = mappings.flatMap(({ match }) => match.path ?? []);
  const ofMail = gmail !== null || mail.length > 0 ? [mailHook] : [];
  const names = [...new Set([...paths, ...senders.map(({ name }) => name), ...ofMail])].toSorted();
  const ofName = (name: string): Hook => {
    const sender = senders.find((each) => each.name === name);
    const kind = sender ? "sender" : ofMail.includes(name) ? "mail" : "mapped";
    const ids = mappings.flatMap(({ id, match }) => (match.path === name ? [id] : []));
    return { name, kind, senderKind: sender?.kind ?? null, mappings: ids };
  };
  const builtIn = ["wake", "agent"].map((name): Hook => ({
    name,
    kind: "built-in",
    senderKind: null,
    mappings: [],
  }));
  return [...builtIn, ...names.map(ofName)];
}

const hooks = list({
  id: "listHooks",
  path: "/hooks",
  summary: "The hooks of the configuration, with what their runs have used today.",
  filters: {
    hook: several("Its name."),
    kind: z.array(z.enum(["built-in", "mapped", "sender", "mail"])).optional(),
  },
  item: hook,
  async search({ hook: names, kind }, page, deps) {
    const [spending, paused] = await Promise.all([deps.store.listSpending(), deps.store.pausedHooks()]);
    const wanted = hooksOf(deps.settings()).filter(
      (each) => (names?.includes(each.name) ?? true) && (kind?.includes(each.kind) ?? true),
    );
    const { items, next } = pageOf(wanted, page);
    return {
      items: items.map((each) => ({
        ...each,
        spent: spending.find((one) => one.hook === each.name),
        paused: paused.find((one) => one.hook === each.name),
      })),
      next,
    };
  },
  toResource: ({ spent, paused, ...rest }) => ({
    ...rest,
    pausedAt: paused === undefined ? null : new Date(paused.pausedAt).toISOString(),
    used: usedOf(spent),
  }),
});

const usedOf = (spent: Spending | undefined) =>
  spent === undefined
    ? null
    : {
        runs: spent.runs,
        inputTokens: spent.inputTokens,
        outputTokens: spent.outputTokens,
        cost: spent.cost,
      };

const text = z.string().max(100_000);

const tried = z
  .strictObject({
    payload: z.unknown().optional().describe("The body as JSON."),
    body: z.string().optional().describe("Instead: the body as text."),
    requestId: z.string().optional().describe("Instead: the body and the headers of a kept request."),
    headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), text).optional(),
    query: z.record(z.string(), text).optional(),
    event: text.optional().describe("A sender's kind of event, where headers and payload do not say it."),
    delivery: text.optional(),
  })
  .refine(
    ({ payload, body, requestId }) =>
      [payload, body, requestId].filter((each) => each !== undefined).length === 1,
    "give one of payload, body and requestId",
  );

const explanation = z
  .looseObject({
    hook: z.string(),
    outcome: z.enum(["accepted", "skipped", "failed", "refused"]),
    reason: optionalText,
    idempotencyKey: optionalText,
    mappings: z.array(z.looseObject({ id: z.string(), takes: z.boolean(), reason: optionalText })),
    answer: z.looseObject({ status: z.int() }),
    actions: z.array(z.looseObject({ action: z.string() })),
    empty: z.array(z.looseObject({ reference: z.string() })),
    output: z.string(),
  })
  .meta({ id: "Explanation", description: "What a request would do, as `rouse explain --json` prints it." });

const tryHook = route({
  id: "tryHook",
  method: "POST",
  path: "/hooks/{name}/try",
  summary: "What a request to this hook would do. Nothing is stored; transforms run for real.",
  params: byName,
  body: tried,
  answer: { status: 200, json: explanation },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, body, deps }): Promise<Reply | Refusal> {
    const { config, hooks: settings } = deps.settings();
    if (!config.hooks.enabled)
      return refuse("conflict", { detail: "Hooks are off: every one responds with 404." });
    const source = await sourceOf(body, deps);
    if (isRefusal(source)) return source;
    const search = new URLSearchParams(body.query ?? {}).toString();
    const asked: ExplainedRequest = {
      target: `${config.hooks.path}/${params.name}${search === "" ? "" : `?${search}`}`,
      rawHeaders: Object.entries({ ...source.headers, ...body.headers }).flat(),
      body: source.body,
      now: deps.clock.now(),
      event: body.event ?? source.event,
      delivery: body.delivery,
    };
    return ok(await explain(asked, config, settings));
  },
});

type Source = { body: Buffer; headers: Readonly<Record<string, string>>; event?: string | undefined };

async function sourceOf(
  { payload, body, requestId }: z.output<typeof tried>,
  { store }: Pick<ApiDeps, "store">,
): Promise<Source | Refusal> {
  if (requestId === undefined) return { body: Buffer.from(body ?? JSON.stringify(payload)), headers: {} };
  const kept = found(await store.findRequest(requestId), "request", requestId);
  if (isRefusal(kept)) return kept;
  const bytes = await store.requestBody(requestId);
  if (bytes === null) return refuse("conflict", { detail: `The body of request ${requestId} is not kept.` });
  return {
    body: Buffer.from(bytes),
    headers: kept.arrival?.headers ?? {},
    event: kept.arrival?.event ?? undefined,
  };
}

/** A hook of the configuration, or one that is paused and is there no more. */
async function isHook(name: string, { settings, store }: ApiDeps): Promise<boolean> {
  if (hooksOf(settings()).some((each) => each.name === name)) return true;
  return (await store.pausedHooks()).some(({ hook: each }) => each === name);
}

const verb = (
  name: "pause" | "resume",
  summary: string,
  action: typeof pauseHook | typeof resumeHook,
): Route =>
  route({
    id: `${name}Hook`,
    method: "POST",
    path: `/hooks/{name}/${name}`,
    summary,
    params: byName,
    body: z.strictObject({}),
    bodyOptional: true,
    audited: { verb: `hook.${name}`, subject: (params) => params.name },
    answer: {
      status: 200,
      json: z.strictObject({ hook: z.string(), paused: z.boolean(), released: count.optional() }),
    },
    refusals: ["unknown-item", "conflict"],
    async handle({ params, deps }): Promise<Reply | Refusal> {
      if (!(await isHook(params.name, deps)))
        return refuse("unknown-item", { detail: `There is no hook ${params.name}.` });
      const result = await action(deps.store, params.name);
      if (result.done) {
        deps.kick("hook");
        deps.changes.tell({ kind: "hook", id: params.name, status: name === "pause" ? "paused" : null });
      }
      return replyOf(result);
    },
  });

export const hookRoutes: readonly Route[] = [
  hooks,
  tryHook,
  verb("pause", "Its requests are accepted and stored, and their runs wait.", pauseHook),
  verb("resume", "Queues what waited while it was paused.", resumeHook),
];

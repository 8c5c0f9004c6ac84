// What the configuration has: agents and channels, and a test message through one.
import { z } from "zod";
import { type Refusal, refuse } from "../../core/errors.ts";
import { platforms } from "../../core/target.ts";
import { channelName, outcomeFields, recipientFault, sendTest, testText } from "../actions/channels.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { count, optionalText } from "../shapes/fields.ts";
import { agent, channel } from "../shapes/settings.ts";
import { list, pageOf } from "./list.ts";
import { byName, several } from "./parameters.ts";

const wants = (values: readonly string[] | undefined, value: string): boolean =>
  values === undefined || values.some((each) => each.toLowerCase() === value.toLowerCase());

const agents = list({
  id: "listAgents",
  path: "/agents",
  summary: "The agents of the configuration, in its order.",
  filters: { agent: several("Its id."), kind: several("Its kind.") },
  item: agent,
  search: async ({ agent: ids, kind }, page, deps) =>
    pageOf(
      deps.settings().config.agents.list.filter((each) => wants(ids, each.id) && wants(kind, each.kind)),
      page,
    ),
  toResource: ({ id, kind, default: isDefault, model, thinking, tools, workspace }) => ({
    id,
    kind,
    default: isDefault,
    model,
    thinking,
    tools,
    workspace,
  }),
});

const channels = list({
  id: "listChannels",
  path: "/channels",
  summary: "The channels of the configuration, with what waits to be sent.",
  filters: { channel: several("Its name.") },
  item: channel,
  async search({ channel: names }, page, deps) {
    const { deliveries } = await deps.store.backlog();
    const all = deps
      .settings()
      .channels.configured()
      .filter((each) => wants(names, each.channel))
      .map((each) => ({ ...each, backlog: deliveries.find((one) => one.channel === each.channel) }));
    return pageOf(all, page);
  },
  toResource: ({ channel: name, to, backlog }) => ({
    channel: name,
    kind: platforms.some((each) => each === name) ? "built in" : "plugin",
    to,
    waiting: backlog?.waiting ?? 0,
    oldestSeconds: backlog === undefined ? null : backlog.oldestMs / 1000,
  }),
});

const testTimeoutMs = 60_000;

const test = route({
  id: "testChannel",
  method: "POST",
  path: "/channels/{name}/test",
  summary: "Sends a real message straight to the platform, once; nothing is stored.",
  params: byName,
  body: z.strictObject({
    to: z.string().trim().min(1).max(1000).optional().describe("Left out: its default recipient."),
    text: z.string().trim().min(1).max(100_000).optional(),
  }),
  bodyOptional: true,
  audited: { verb: "channel.test", subject: ({ name }) => name },
  answer: {
    status: 200,
    json: z.strictObject({
      channel: z.string(),
      to: z.string(),
      outcome: z.enum(["sent", "retry", "rejected", "unknown"]),
      sentMessages: count,
      reason: optionalText,
      retryAfterSeconds: count.nullable(),
    }),
  },
  refusals: ["unknown-item", "conflict", "invalid-payload"],
  async handle({ params, body, deps }): Promise<Reply | Refusal> {
    const configured = deps.settings().channels;
    const read = channelName(params.name, configured);
    if ("fault" in read) return refuse("unknown-item", { detail: read.fault });
    const { name } = read;
    const found = configured.find(name);
    if (found === null) return refuse("conflict", { detail: `${name} is not configured.` });
    const to = body.to ?? configured.configured().find((each) => each.channel === name)?.to;
    if (!to) return badRecipient(`Who on ${name}? It has no default recipient.`);
    const fault = recipientFault(found, name, to);
    if (fault !== null) return badRecipient(fault);
    const signal = AbortSignal.timeout(testTimeoutMs);
    const { outcome, sentMessages } = await sendTest(found, to, body.text ?? testText, signal);
    return ok({ channel: name, to, outcome: outcome.kind, sentMessages, ...outcomeFields(outcome) });
  },
});

const badRecipient = (message: string): Refusal =>
  refuse("invalid-payload", { detail: message, details: [{ path: "to", message }] });

export const settingsRoutes: readonly Route[] = [agents, channels, test];

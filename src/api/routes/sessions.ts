// Conversations, and where the main session's replies go.
import { z } from "zod";
import { type Refusal, refuse } from "../../core/errors.ts";
import { channelName, recipientFault } from "../actions/channels.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { sessionResource, turnResource } from "../resources.ts";
import { session, turn } from "../shapes/stored.ts";
import { list, windowOf } from "./list.ts";
import { several, window } from "./parameters.ts";

const sessionList = list({
  id: "listSessions",
  path: "/sessions",
  summary: "Conversations, last used first.",
  filters: { agent: several("The agent whose conversation it is."), ...window },
  item: session,
  search: async ({ agent, ...rest }, page, deps) =>
    deps.store.searchSessions({
      ...page,
      ...(await windowOf(rest, deps)),
      ...(agent && { agents: agent.map((each) => each.toLowerCase()) }),
    }),
  toResource: sessionResource,
});

const turns = route({
  id: "listTurns",
  method: "GET",
  path: "/sessions/{agent}/{key}/turns",
  summary: "What was said in a conversation, oldest first.",
  params: z.strictObject({ agent: z.string().min(1), key: z.string().min(1) }),
  answer: { status: 200, json: z.strictObject({ items: z.array(turn), nextCursor: z.null() }) },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const of = { agentId: params.agent.toLowerCase(), sessionKey: params.key };
    const items = (await deps.store.listTurns(of)).map(turnResource);
    if (items.length > 0) return ok({ items, nextCursor: null });
    return refuse("unknown-item", { detail: `The agent ${of.agentId} has no session ${of.sessionKey}.` });
  },
});

const target = z.strictObject({ channel: z.string(), to: z.string() });
const lastTarget = z.strictObject({
  target: target.nullable().describe("Null: the main session's replies are stored and sent to nobody."),
});

const readTarget = route({
  id: "getMainTarget",
  method: "GET",
  path: "/session/target",
  summary: "The main session's last recipient.",
  answer: { status: 200, json: lastTarget },
  handle: async ({ deps }) => ok({ target: await deps.store.lastTarget() }),
});

const writeTarget = route({
  id: "setMainTarget",
  method: "PUT",
  path: "/session/target",
  summary: "Sets the main session's recipient: of its heartbeats and of runs whose channel is `last`.",
  body: z.strictObject({
    target: z
      .strictObject({ channel: z.string().trim().min(1).max(200), to: z.string().trim().min(1).max(1000) })
      .nullable(),
  }),
  audited: { verb: "session.target", subject: (_, body) => body.target?.channel ?? "none" },
  answer: { status: 200, json: lastTarget },
  refusals: ["invalid-payload"],
  async handle({ body, deps }): Promise<Reply | Refusal> {
    const { channels } = deps.settings();
    if (body.target === null) await deps.store.setLastTarget(null);
    else {
      const read = channelName(body.target.channel, channels);
      if ("fault" in read) return badTarget("target.channel", read.fault);
      const channel = channels.find(read.name);
      const fault = channel && recipientFault(channel, read.name, body.target.to);
      if (fault != null) return badTarget("target.to", fault);
      await deps.store.setLastTarget({ channel: read.name, to: body.target.to });
    }
    return ok({ target: await deps.store.lastTarget() });
  },
});

const badTarget = (path: string, message: string): Refusal =>
  refuse("invalid-payload", { details: [{ path, message }], detail: message });

export const sessionRoutes: readonly Route[] = [sessionList, turns, readTarget, writeTarget];

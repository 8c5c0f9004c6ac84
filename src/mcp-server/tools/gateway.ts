// The gateway as a whole: how it is doing, what operators did, and a heartbeat on demand.
import { z } from "zod";
import { split, splitList, textsBlock } from "../items.ts";
import * as take from "../parameters.ts";
import { changeTool, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";
import type { Operations } from "../../sdk/client/shapes.ts";

const ours = [
  "version",
  "node",
  "startedAt",
  "uptimeSeconds",
  "waiting",
  "running",
  "parked",
  "oldestWaitingSeconds",
  "events",
];

const status = readTool({
  name: "status",
  title: "Status",
  description:
    "How the gateway is doing: runs that wait, run or are parked, deliveries that wait, what was spent today, and what came of the requests of the last hour. Begin here.",
  input: {},
  output: { running: z.number(), waiting: z.number(), parked: z.number() },
  async handle(_, { ask, signal }) {
    const { budget, recent, deliveries, spending, ...rest } = await ask("getStatus", {}, { signal });
    const { ours: known, texts } = split(rest, ours);
    const says = `Runs: ${rest.running} running, ${rest.waiting} waiting, ${rest.parked} parked.`;
    return {
      says,
      fields: { ...known, budget, lastHour: lastHour(recent.parts) },
      outside: textsBlock("by channel and by hook", [
        { key: {}, texts },
        ...deliveries.slice(0, mostNames).map((each) => ({ key: { waitingOn: "a channel" }, texts: each })),
        ...spending.slice(0, mostNames).map((each) => ({ key: { spentBy: "a hook" }, texts: each })),
      ]),
    };
  },
});

const mostNames = 20;

function lastHour(parts: Operations["getStatus"]["answer"]["recent"]["parts"]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const part of parts)
    for (const [outcome, count] of Object.entries(part.counts))
      counts[outcome] = (counts[outcome] ?? 0) + count;
  return counts;
}

const auditFields = ["id", "actor", "verb", "outcome", "createdAt"];

const listAudit = readTool({
  name: "list_audit",
  title: "List the audit",
  description:
    "What operators did through the API, the console, commands and this server (actor `mcp`), newest first: time, actor, verb, what it was done to, outcome.",
  input: {
    actor: z.string().min(1).max(200).optional().describe("`token`, `cli`, `mcp`, or a session."),
    verb: z.string().min(1).max(100).optional().describe("Such as `run.cancel`."),
    outcome: z.enum(["done", "refused", "failed"]).optional(),
    ...take.window,
    ...take.paging,
  },
  output: take.page,
  async handle(given, { ask, signal }) {
    const page = await ask("listAudit", take.given(given), { signal });
    const { items, outside } = splitList("what it was done to, by id", page.items, auditFields);
    return {
      says: `${counted(items.length, "entry")}.`,
      fields: { items, nextCursor: page.nextCursor },
      outside,
    };
  },
});

const wake = changeTool({
  name: "wake",
  title: "Wake the main session",
  description: "Asks for a heartbeat now: the main session's agent looks at the notes that wait for it.",
  input: {},
  output: {},
  hints: { openWorldHint: true },
  async plan(_, { ask, signal }) {
    const { events } = await ask("getStatus", {}, { signal });
    return {
      says: `a heartbeat of the main session, for which ${counted(events, "note")} wait.`,
      fields: { events },
    };
  },
  async act(_, { ask, post }) {
    await ask("requestHeartbeat", { body: {} }, post);
    return { says: "A heartbeat of the main session was asked for.", fields: {} };
  },
});

export const gatewayTools: readonly Tool[] = [status, listAudit, wake];

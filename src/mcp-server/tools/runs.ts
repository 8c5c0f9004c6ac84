// Runs: their list, one of them, and what an operator does to them.
import { z } from "zod";
import { split, splitList, textsBlock, without } from "../items.ts";
import * as take from "../parameters.ts";
import type { OutsideBlock } from "../result.ts";
import { cutWords, windowOf } from "../texts.ts";
import { type Calls, changeTool, type Plan, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";
import type { Operations } from "../../sdk/client/shapes.ts";

type Run = Operations["getRun"]["answer"];

const ours = [
  "id",
  "kind",
  "agentId",
  "credential",
  "status",
  "attempts",
  "createdAt",
  "startedAt",
  "endedAt",
  "requestId",
  "nextTryAt",
  "retriedAs",
];

const listRuns = readTool({
  name: "list_runs",
  title: "List runs",
  description:
    "Runs of agents, newest first: what was asked of an agent by a webhook, a mail or a heartbeat, and how it ended. Begins of replies and errors only; show_run has more. A page may be short and still have a nextCursor.",
  input: {
    status: take.runStatus,
    hook: take.hook,
    agent: take.agent,
    session: z.string().min(1).max(500).optional().describe("Only of this session key."),
    kind: z.enum(["hook", "heartbeat"]).optional(),
    id: z.string().min(1).max(100).optional().describe("Only whose id begins so."),
    ...take.window,
    ...take.paging,
  },
  output: take.page,
  async handle(given, { ask, signal }) {
    const page = await ask("listRuns", take.given(given), { signal });
    const { items, outside } = splitList("runs: names, replies and errors, by id", page.items, ours);
    return {
      says: `${counted(items.length, "run")}.`,
      fields: { items, nextCursor: page.nextCursor },
      outside,
    };
  },
});

const shownParts = ["message", "reply", "error", "lastLine", "transcript", "attempts"] as const;
type Part = (typeof shownParts)[number];

/** Its texts by name. */
function partsOf(run: Run): Record<Part, string> {
  const turns = run.transcript.map(({ role, createdAt, text }) => `${role} at ${createdAt}:\n${text}`);
  return {
    message: run.request.message,
    reply: run.reply ?? "",
    error: run.error ?? "",
    lastLine: run.lastLine ?? "",
    transcript: turns.join("\n\n"),
    attempts: run.attemptRecords.map((each) => JSON.stringify(each)).join("\n"),
  };
}

const labels: Readonly<Record<Part, string>> = {
  message: "what the agent was asked to do",
  reply: "its reply",
  error: "why it failed",
  lastLine: "the last line of its program",
  transcript: "what was said, with the prompt as the agent got it",
  attempts: "its attempts with the tools that its agent called",
};

/** Characters of each part, and of the one that was asked for. */
const [usual, whole] = [2000, 16_000];

function partBlock(run: Run, part: Part, from: number, longest: number): OutsideBlock[] {
  const text = partsOf(run)[part];
  if (text === "") return [];
  const window = windowOf(text, from, longest);
  const note = cutWords(window, (next) => `show_run with id "${run.id}", part "${part}", from ${next}`);
  return [{ label: labels[part], text: window.text, note }];
}

const showRun = readTool({
  name: "show_run",
  title: "Show a run",
  description:
    'One run: what was asked, its reply or error, its attempts with the tools called, usage, deliveries. Long texts are cut; `part` with `from` reads more of one of them. `part: "transcript"` is the whole prompt.',
  input: {
    id: take.id,
    part: z.enum(shownParts).optional().describe("Only this text, up to 16,000 characters of it."),
    from: take.from,
  },
  output: { run: z.looseObject({ id: z.string() }) },
  async handle({ id, part, from }, { ask, signal }) {
    const run = await ask("getRun", { id }, { signal });
    const says = `Run ${run.id} has the status ${run.status}.`;
    const { ours: known } = split(run, ours);
    if (part !== undefined) {
      const outside = partBlock(run, part, from, whole);
      const notes = outside.length === 0 ? [`It has no text "${part}".`] : [];
      return { says, fields: { run: known }, outside, notes };
    }
    return { says, fields: { run: known }, outside: runBlocks(run) };
  },
});

const usualParts: readonly Part[] = ["message", "reply", "error", "lastLine", "attempts"];

function runBlocks(run: Run): OutsideBlock[] {
  const { hook, name, sessionKey, requestedAgentId, signals, report, deliveries } = run;
  const about = textsBlock("what else is known of the run", [
    { key: {}, texts: split({ hook, name, sessionKey, requestedAgentId, signals, report }, []).texts },
  ]);
  const sent = splitList("its deliveries", deliveries.slice(0, 10), []);
  return [...about, ...usualParts.flatMap((part) => partBlock(run, part, 0, usual)), ...sent.outside];
}

/** One run as the plan of a change shows it. `why`: why nothing can be done; null: it can. */
async function planned(
  id: string,
  words: (run: Run) => { says: string; why: string | null },
  { ask, signal }: Calls,
): Promise<Plan> {
  const run = await ask("getRun", { id }, { signal });
  const { hook, name, error } = run;
  const outside = textsBlock("the run", [{ key: { id }, texts: split({ hook, name, error }, []).texts }]);
  const { says, why } = words(run);
  const fields = { run: split(run, ours).ours };
  return { says: why === null ? says : `Nothing to do: ${why}`, fields, outside, possible: why === null };
}

const hasEnded = ({ status }: Run): boolean => !["queued", "parked", "running"].includes(status);

const retryRun = changeTool({
  name: "retry_run",
  title: "Retry a run",
  description:
    "Queues a new run with the request of one that has ended. Its agent works again, and may repeat what it did. To send a request through the present configuration, use replay_request.",
  input: { id: take.id },
  output: {},
  hints: { openWorldHint: true },
  plan: ({ id }, calls) =>
    planned(
      id,
      (run) => ({
        says: `a new run on the same agent with the request of run ${run.id}, which has the status ${run.status}.${run.retriedAs === null ? "" : " It was retried before: see retriedAs."}`,
        why:
          run.kind === "heartbeat"
            ? "a heartbeat cannot be repeated; use wake."
            : hasEnded(run)
              ? null
              : `only a run that has ended can be repeated, and this one has the status ${run.status}.`,
      }),
      calls,
    ),
  async act({ id }, { ask, post }) {
    const made = await ask("retryRun", { id, body: {} }, post);
    return { says: `Queued again as run ${made.id}.`, fields: { id: made.id, retryOf: made.retryOf } };
  },
});

const cancelRun = changeTool({
  name: "cancel_run",
  title: "Cancel a run",
  description:
    "Ends a waiting run at once; a running one is stopped by its gateway within seconds. What its agent has done by then stays done.",
  input: { id: take.id },
  output: {},
  hints: { destructiveHint: true, idempotentHint: true },
  plan: ({ id }, calls) =>
    planned(
      id,
      (run) => ({
        says: `run ${run.id}, which has the status ${run.status}, ends as cancelled. Nobody gets a reply.`,
        why: hasEnded(run) ? `the run has ended already, with the status ${run.status}.` : null,
      }),
      calls,
    ),
  async act({ id }, { ask, post }) {
    const { result } = await ask("cancelRun", { id, body: {} }, post);
    const says =
      result === "cancelled"
        ? "is cancelled."
        : "is running; it was asked to stop and does so within seconds.";
    return { says: `Run ${id} ${says}`, fields: { id, result } };
  },
});

const mostParked = 30;

const releaseRuns = changeTool({
  name: "release_runs",
  title: "Release parked runs",
  description:
    "Queues parked runs at once: those whose hook is over its budget for the day. Give one id, one hook, or neither for all of them.",
  input: {
    id: take.id.optional(),
    hook: z.string().min(1).max(500).optional().describe("Only those of this hook."),
  },
  output: {},
  hints: { idempotentHint: true, openWorldHint: true },
  async plan({ id, hook }, { ask, signal }) {
    const filter = take.given({ id, hook, status: "parked" as const, limit: mostParked });
    const page = await ask("listRuns", filter, { signal });
    const { items, outside } = splitList("the parked runs", without(page.items, "reply"), ours);
    const count = counted(items.length, "parked run", page.nextCursor !== null);
    const possible = items.length > 0;
    return { says: `${count} to be queued, whatever the budget.`, fields: { items }, outside, possible };
  },
  async act({ id, hook }, { ask, post }) {
    const { released } = await ask("releaseRuns", { body: take.given({ id, hook }) }, post);
    return { says: `Queued: ${counted(released, "parked run")}.`, fields: { released } };
  },
});

export const runTools: readonly Tool[] = [listRuns, showRun, retryRun, cancelRun, releaseRuns];

// Requests as they are kept: their list, what became of one, and replays.
import { z } from "zod";
import { readText } from "../../core/response-body.ts";
import type { Operations } from "../../sdk/client/shapes.ts";
import { split, splitList, textsBlock, without } from "../items.ts";
import * as take from "../parameters.ts";
import type { OutsideBlock } from "../result.ts";
import { cutWords, windowOf } from "../texts.ts";
import { type Calls, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";

type Timeline = Operations["getRequestTimeline"]["answer"];

const ours = [
  "id",
  "origin",
  "outcome",
  "credential",
  "bytes",
  "createdAt",
  "runIds",
  "eventIds",
  "replayOf",
  "mapping",
  "hasBody",
];

const listRequests = readTool({
  name: "list_requests",
  title: "List requests",
  description:
    "What came in, newest first: webhooks, mails and replays, each with how it was decided and which runs it led to. Also those that were refused or skipped, with the reason.",
  input: {
    hook: take.hook,
    outcome: take.outcome,
    status: take.runStatus.describe("Of a run that it led to."),
    id: z.string().min(1).max(100).optional().describe("Only whose id begins so."),
    ...take.window,
    ...take.paging,
  },
  output: take.page,
  async handle(given, { ask, signal }) {
    const page = await ask("listRequests", take.given(given), { signal });
    const short = without(page.items, "decision");
    const { items, outside } = splitList("requests: hooks, senders' words and reasons, by id", short, ours);
    return {
      says: `${counted(items.length, "request")}.`,
      fields: { items, nextCursor: page.nextCursor },
      outside,
    };
  },
});

const showRequest = readTool({
  name: "show_request",
  title: "Show a request",
  description:
    "Everything that became of one request, step by step: received, decided (with each filter and the value it met), stored, waited, prompt, attempts, reply, deliveries. Its body and its headers only when asked for.",
  input: {
    id: take.id,
    body: z.boolean().default(false).describe("Only its body, up to 16,000 characters of it."),
    headers: z.boolean().default(false).describe("Also its headers."),
    from: take.from.describe("Where in the body to begin."),
  },
  output: { request: z.looseObject({ id: z.string() }), steps: z.array(z.looseObject({})).optional() },
  async handle({ id, body, headers, from }, calls) {
    const { ask, signal } = calls;
    const { headers: came, decision, ...request } = await ask("getRequest", { id }, { signal });
    const { ours: known, texts } = split({ ...request, policy: decision?.policy }, ours);
    const says = `Request ${request.id} was ${decidedWords[request.outcome]}.`;
    if (body) return { says, fields: { request: known }, ...(await bodyOf(request, from, calls)) };
    const timeline = await ask("getRequestTimeline", { id }, { signal });
    return {
      says,
      fields: { request: known, ...stepsOf(timeline) },
      outside: [
        ...textsBlock("what else is known of the request", [{ key: {}, texts }]),
        ...(headers ? textsBlock("its headers", [{ key: {}, texts: came }]) : []),
        ...stepTexts(timeline),
      ],
    };
  },
});

const decidedWords = {
  accepted: "accepted",
  repeated: "a repetition of another one",
  skipped: "skipped",
  refused: "refused",
  failed: "not decided, because that failed",
  full: "refused, because too many runs were waiting",
} as const;

const longestBody = 16_000;
const mostBodyBytes = 32_000_000;

async function bodyOf(
  { id, hasBody }: { id: string; hasBody: boolean },
  from: number,
  { ask, signal }: Calls,
): Promise<{ outside: OutsideBlock[]; notes: string[] }> {
  if (!hasBody) return { outside: [], notes: ["Its body is not kept: see hooks.keepRequests."] };
  const response = await ask("getRequestBody", { id }, { signal });
  const window = windowOf(await readText(response, mostBodyBytes), from, longestBody);
  const note = cutWords(window, (next) => `show_request with id "${id}", body true, from ${next}`);
  return { outside: [{ label: "its body", text: window.text, note }], notes: [] };
}

const mostSteps = 60;
const longestDetails = 1500;

/** Times and states are ours; the titles are, too. */
function stepsOf({ status, beganAt, endedAt, tookMs, steps }: Timeline) {
  const shown = steps.slice(0, mostSteps).map((step, at) => ({
    step: at + 1,
    ...split(step, ["kind", "runId", "state", "at", "sinceMs", "durationMs"]).ours,
  }));
  return {
    ...split({ status, beganAt, endedAt, tookMs }, ["status", "beganAt", "endedAt", "tookMs"]).ours,
    steps: shown,
  };
}

function stepTexts({ steps }: Timeline): OutsideBlock[] {
  const [block] = textsBlock(
    "the steps in words",
    steps.slice(0, mostSteps).map(({ title, text, details }, at) => ({
      key: { step: at + 1 },
      texts: split({ is: `${title}: ${text}`, details: detailsOf(details) }, []).texts,
    })),
    longestDetails,
  );
  if (block === undefined) return [];
  const left = steps.length - mostSteps;
  const more = left > 0 ? `${left} further steps are not shown: see them with show_run for each run. ` : "";
  return [{ ...block, note: `${more}${block.note ?? ""}`.trim() || null }];
}

/** Headers are asked for apart, and whole texts with show_run. */
function detailsOf(details: Timeline["steps"][number]["details"]): unknown {
  const shown = details.filter(({ kind }) => kind !== "header" && kind !== "text");
  return shown.length === 0 ? null : shown;
}

export const requestTools: readonly Tool[] = [listRequests, showRequest];

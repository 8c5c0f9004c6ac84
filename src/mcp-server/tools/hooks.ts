// The hooks of the configuration, and what a payload would lead to.
import { z } from "zod";
import { split, splitList, textsBlock, without } from "../items.ts";
import * as take from "../parameters.ts";
import { cutWords, windowOf } from "../texts.ts";
import { type Calls, changeTool, type Plan, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";

const name = z.string().min(1).max(200).describe("The hook's name, such as github.");
const ours = ["name", "kind", "senderKind", "mappings", "pausedAt"];

const listHooks = readTool({
  name: "list_hooks",
  title: "List hooks",
  description:
    "The hooks of the configuration: names under which requests come in, their mappings, whether they are paused, and what their runs have used today.",
  input: {
    hook: take.hook,
    kind: z.enum(["built-in", "mapped", "sender", "mail"]).optional(),
    ...take.paging,
  },
  output: { items: z.array(z.looseObject({})), nextCursor: z.string().nullable() },
  async handle(given, { ask, signal }) {
    const page = await ask("listHooks", take.given(given), { signal });
    const items = page.items.map(({ used, ...hook }) => ({ ...split(hook, ours).ours, used }));
    const unusual = without(page.items, "used").map((hook, at) => ({
      key: { item: at + 1 },
      texts: split(hook, ours).texts,
    }));
    return {
      says: `${counted(items.length, "hook")}.`,
      fields: { items, nextCursor: page.nextCursor },
      outside: textsBlock("names with unusual characters", unusual),
    };
  },
});

const longestExplanation = 16_000;

const tryHook = readTool({
  name: "try_hook",
  title: "Try a hook",
  description:
    "What a request to this hook would do: which mapping takes it, each filter with the value it met, the prompt that would be made, the response. Nothing is stored and no agent runs; a transform of the mapping does run. Give one of payload, text and requestId.",
  input: {
    name,
    payload: z.unknown().optional().describe("The body as JSON."),
    text: z.string().max(500_000).optional().describe("Instead: the body as text, such as a form."),
    requestId: z.string().max(100).optional().describe("Instead: body and headers of a kept request."),
    headers: z.record(z.string(), z.string().max(10_000)).optional(),
    query: z.record(z.string(), z.string().max(10_000)).optional(),
    event: z.string().max(500).optional().describe("A sender's kind of event, such as issues.opened."),
    from: take.from.describe("Where in the explanation to begin."),
  },
  output: {},
  hints: { readOnlyHint: false, openWorldHint: true },
  async handle({ name, text, from, payload, ...rest }, { ask, signal }) {
    const body = take.given({ ...rest, payload, body: text });
    const found = await ask("tryHook", { name, body }, { signal });
    const { ours: known } = split(found, ["outcome"]);
    const explained = windowOf(JSON.stringify(found, null, 1), from, longestExplanation);
    const note = cutWords(explained, (next) => `try_hook with the same arguments, from ${next}`);
    return {
      says: `A request like this would be ${found.outcome}, with the status ${found.answer.status} and ${counted(found.actions.length, "action")}.`,
      fields: { ...known, status: found.answer.status, actions: found.actions.length },
      outside: [{ label: "the explanation, as JSON", text: explained.text, note }],
    };
  },
});

/** `says`: what would happen; null: it is so already. */
async function planned(
  name: string,
  says: (isPaused: boolean) => string | null,
  { ask, signal }: Calls,
): Promise<Plan> {
  const [hook] = (await ask("listHooks", { hook: name }, { signal })).items;
  if (hook === undefined)
    return { says: "The configuration has no such hook: see list_hooks.", fields: {}, possible: false };
  const isPaused = hook.pausedAt !== null;
  const sentence = says(isPaused);
  return {
    says: sentence ?? `Nothing to do: the hook is ${isPaused ? "paused already" : "not paused"}.`,
    fields: { hook: split(hook, ours).ours },
    possible: sentence !== null,
  };
}

const pauseHook = changeTool({
  name: "pause_hook",
  title: "Pause a hook",
  description:
    "Its requests are still accepted and stored, and their runs wait until resume_hook. Runs that run go on. Nothing is lost.",
  input: { name },
  output: {},
  hints: { idempotentHint: true },
  plan: ({ name }, calls) =>
    planned(
      name,
      (isPaused) => (isPaused ? null : "requests are stored, and their runs wait until the hook is resumed."),
      calls,
    ),
  async act({ name }, { ask, post }) {
    const { paused } = await ask("pauseHook", { name, body: {} }, post);
    return { says: "The hook is paused: its requests are stored, and their runs wait.", fields: { paused } };
  },
});

const resumeHook = changeTool({
  name: "resume_hook",
  title: "Resume a hook",
  description: "The runs that waited while the hook was paused are queued, and their agents start to work.",
  input: { name },
  output: {},
  hints: { idempotentHint: true, openWorldHint: true },
  async plan({ name }, calls) {
    const waiting = await calls.ask(
      "listRuns",
      { hook: name, status: "parked", limit: 30 },
      { signal: calls.signal },
    );
    const count = counted(waiting.items.length, "parked run", waiting.nextCursor !== null);
    const { outside } = splitList("the first runs that wait", without(waiting.items, "reply"), ["id"]);
    const plan = await planned(
      name,
      (isPaused) => (isPaused ? `the hook goes on; it has ${count}.` : null),
      calls,
    );
    return { ...plan, outside };
  },
  async act({ name }, { ask, post }) {
    const { paused, released } = await ask("resumeHook", { name, body: {} }, post);
    return {
      says: `The hook goes on. Queued: ${counted(released ?? 0, "run")} that waited.`,
      fields: { paused, released },
    };
  },
});

export const hookTools: readonly Tool[] = [listHooks, tryHook, pauseHook, resumeHook];

// One question to a model, with as many rounds of tools as it needs, through the `ai` library. Responses
// are streamed, because `fetch` and proxies wait only so long for the first byte of a response.
import {
  isStepCount,
  streamText,
  type CallWarning,
  type FinishReason,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import type { AgentOutcome } from "../../core/outcome.ts";
import { TooLarge } from "../../core/response-body.ts";
import { cut, oneLine } from "../../core/text.ts";
import { clean } from "../../untrusted/clean.ts";
import type { AgentEvent, AgentInput } from "../agent.ts";
import { failed } from "../failure.ts";
import { shownText } from "../shown-text.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { faultOf } from "./fault.ts";
import type { ChatMessage } from "./messages.ts";
import type { Chosen } from "./providers.ts";
import type { Tally } from "./tally.ts";
import { levelOf } from "./thinking.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

export type Question = {
  chosen: Extract<Chosen, { ok: true }>;
  messages: ChatMessage[];
  thinking: string | null;
  toolbox: Omit<Toolbox, "changes" | "close">;
  maxSteps: number;
  onEvent?: AgentInput["onEvent"];
};

/** In characters, like the next. */
const longestReply = 1_048_576;
/** Of all that a run keeps until its end: texts, thinking, calls of tools, files. */
const mostKept = 16_777_216;

type Step = { text: string; calls: number; finish: FinishReason; rawFinish: string | undefined };

/** Never throws. When `stop` fires, it ends as soon as the tools that run do. */
export async function ask(question: Question, tally: Tally, stop: AbortSignal): Promise<AgentOutcome> {
  try {
    return outcomeOf(await stepsOf(question, tally, stop), question, tally);
  } catch (fault) {
    return stop.aborted ? failed("it was stopped", true) : faultOf(fault, question.chosen);
  }
}

async function stepsOf(question: Question, tally: Tally, stop: AbortSignal): Promise<Step[]> {
  const { chosen, messages, thinking, toolbox, maxSteps, onEvent = () => {} } = question;
  const { level, warning } = levelOf(thinking, chosen.kind);
  if (warning !== null) tally.warn(warning);
  const { stream } = streamText({
    model: await chosen.load(),
    messages,
    tools: toolbox.tools,
    stopWhen: isStepCount(maxSteps),
    maxRetries: 0,
    abortSignal: stop,
    onError: () => undefined,
    onToolExecutionStart: ({ toolCall }) => tally.called(toolbox.nameOf(toolCall.toolName)),
    ...(level !== null && { reasoning: level }),
  });
  const steps: Step[] = [];
  let kept = 0;
  for await (const part of stream) {
    kept += sizeOf(part);
    if (kept > mostKept) throw new TooLarge("what it sent in this run", mostKept, "characters");
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw stop.reason;
    if (part.type === "start-step") {
      steps.push({ text: "", calls: 0, finish: "other", rawFinish: undefined });
      for (const warning of part.warnings) tally.warn(sentenceOf(warning));
    }
    const step = steps.at(-1);
    if (step === undefined) continue;
    const told = eventOf(part, step, toolbox);
    if (told) onEvent(told);
    if (part.type === "text-delta") step.text += part.text;
    if (step.text.length > longestReply) throw new TooLarge("its reply", longestReply, "characters");
    if (part.type === "tool-call") {
      step.calls += 1;
      if (!Object.hasOwn(toolbox.tools, part.toolName)) tally.warn(unknownTool(part.toolName));
    }
    if (part.type !== "finish-step") continue;
    tally.spent(part.usage);
    Object.assign(step, { finish: part.finishReason, rawFinish: part.rawFinishReason });
  }
  return steps;
}

/** By the parts of the stream, not by the tools, which may run before the text in front of their call was read. */
function eventOf(
  part: TextStreamPart<ToolSet>,
  { text }: Step,
  toolbox: Question["toolbox"],
): AgentEvent | null {
  if (part.type === "text-delta") return { kind: "delta", text: part.text, begins: text === "" };
  if (part.type === "tool-call") {
    // What the library finds ill-fitting does not run.
    if (part.invalid === true) return null;
    const { toolCallId: id, toolName, input } = part;
    const name = toolbox.callNameOf(toolName);
    return { kind: "tool", state: "started", id, name, input: () => shownText(input) };
  }
  if (part.type !== "tool-result" && part.type !== "tool-error") return null;
  const { toolCallId: id } = part;
  if (part.type === "tool-error") return { kind: "tool", state: "ended", id, ok: false };
  const output = () => shownText(part.output);
  return { kind: "tool", state: "ended", id, ok: !toolbox.hasFailed(id), output };
}

const longestName = 100;

/** The name is the model's: it may have invented it. */
const unknownTool = (name: string): string =>
  `The agent wanted to use ${cut(oneLine(clean(name)), longestName)} and could not: this run was not granted a tool of that name.`;

/** What the library keeps around each block and call. */
const aroundEach = 500;

/** In characters. What the library makes itself counts nothing. */
function sizeOf(part: TextStreamPart<ToolSet>): number {
  const { type } = part;
  if (type === "text-delta" || type === "reasoning-delta") return part.text.length;
  if (type === "tool-input-delta") return part.delta.length;
  if (type === "text-start" || type === "reasoning-start") return aroundEach;
  if (type === "tool-call") return aroundEach + (JSON.stringify(part.input)?.length ?? 0);
  if (type === "file" || type === "reasoning-file") return aroundEach + part.file.base64.length;
  return type === "source" || type === "custom" ? aroundEach + JSON.stringify(part).length : 0;
}

/** The reply is the text of the last step; text between tool calls is left out. */
function outcomeOf(steps: readonly Step[], { chosen, maxSteps }: Question, tally: Tally): AgentOutcome {
  const last = steps.at(-1);
  const server = `the model server ${chosen.provider}`;
  if (last === undefined) return failed(`${server} ended without a response`, true);
  if (brokeOff(last)) return failed(`the response of ${server} broke off`, true);
  if (last.calls > 0 && steps.length >= maxSteps)
    return failed(`it still called tools in the last of its ${maxSteps} steps and gave no reply (maxSteps)`);
  if (last.calls > 0) return failed("the model stopped after a tool call and gave no reply");
  const reply = last.text.trim();
  if (reply === "") return failed(emptyReason(last.finish));
  if (last.finish === "length") tally.warn("the reply was cut: it reached the most the model writes at once");
  if (last.finish === "content-filter") tally.warn("the reply was cut by the model server's content filter");
  return { kind: "replied", reply };
}

/** Some of the libraries report no error when a stream just ends. */
const brokeOff = ({ finish, rawFinish }: Step): boolean =>
  finish === "interrupted" || finish === "error" || (finish === "other" && rawFinish === undefined);

function emptyReason(finish: FinishReason): string {
  if (finish === "length") return "the model wrote as much as it may, all of it thinking, and gave no reply";
  if (finish === "content-filter") return "the model refused to reply (content filter)";
  return "the model gave no reply";
}

function sentenceOf(warning: CallWarning): string {
  if (warning.type === "deprecated") return `${warning.setting}: ${warning.message}`;
  if (warning.type === "other") return warning.message;
  const feature = warning.feature === "reasoning" ? "thinking" : warning.feature;
  const details = warning.details ?? "not supported by this model";
  return `${feature}: ${details.replace(/ Set maxOutputTokens .*$/, "")}`;
}

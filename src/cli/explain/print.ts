// Prints an explanation for people: what would happen in one line, then the steps that lead to it.
import { largest } from "../../core/largest.ts";
import type { WantedTarget } from "../../core/target.ts";
import { formatProblem, type Problem } from "../../config/problem.ts";
import type { Context } from "../command.ts";
import { painter, type Style } from "../terminal/output.ts";
import { signalWords } from "../runs/signals.ts";
import { safeLine, safeText, widthOf } from "../terminal/text.ts";
import type { ExplainedAction, ExplainedAgent } from "../../hooks/explain/action.ts";
import type { Explanation } from "../../hooks/explain/explain.ts";

const mostPrompts = 3;

/** `warnings`: about the mapping that takes the request. */
export type PrintedExplanation = Explanation & { warnings: readonly Problem[] };

export function printExplanation(context: Context, explanation: PrintedExplanation): void {
  const { hook, idempotencyKey, mappings, actions, empty, warnings, reason, answer, output } = explanation;
  const pen = createPen(context);
  pen.line(verdictLine(explanation), isGood(explanation) && !wouldFail(actions) ? "green" : "red");
  pen.line("Nothing was sent or stored.");
  pen.heading("Mappings");
  const isBuiltIn = hook === "wake" || hook === "agent";
  if (mappings.length > 0) printMappings(pen, mappings);
  else pen.line(isBuiltIn ? `  ${hook} is built in: no mapping is tried` : "  none was tried");
  if (idempotencyKey !== null) pen.field("key", `${idempotencyKey}: a repeat with it changes nothing`);
  for (const warning of warnings) pen.line(`  warning: ${formatProblem(warning)}`, "yellow");
  if (output.trim() !== "") {
    pen.heading("What the transforms printed");
    pen.block(output);
  }
  if (empty.length > 0) pen.heading("Missing in the request");
  for (const each of empty) pen.line(`  empty: ${emptyText(each)}`, "yellow");
  printActions(pen, actions);
  pen.heading("Response");
  printResponse(pen, answer);
  if (reason !== null) pen.field("why", reason);
}

function verdictLine({ hook, outcome, actions, answer }: Explanation): string {
  const about = `A request to ${hook === "" ? "this name" : hook}`;
  if (outcome === "skipped") return `${about} would do nothing (${answer.status}).`;
  if (outcome !== "accepted")
    return `${about} would ${outcome === "failed" ? "fail" : "be refused"} (${answer.status}).`;
  const runs = actions.filter(({ action }) => action === "agent").length;
  const parts = [
    counted(runs, "run of an agent", "runs of agents"),
    counted(actions.length - runs, "note for the main session", "notes for the main session"),
  ].filter((part) => part !== null);
  const made = parts.join(" and ");
  if (wouldFail(actions))
    return `${about} would be stored (${answer.status}), and what it starts would fail: ${made}. See below.`;
  return `${about} would be accepted (${answer.status}): ${made}.`;
}

const isGood = ({ outcome }: Explanation): boolean => outcome === "accepted" || outcome === "skipped";

const wouldFail = (actions: readonly ExplainedAction[]): boolean =>
  actions.some(({ fault }) => fault !== null);

const counted = (count: number, one: string, many: string): string | null =>
  count === 0 ? null : `${count} ${count === 1 ? one : many}`;

const shownElements = 3;

function emptyText({ reference, count, elements }: Explanation["empty"][number]): string {
  if (elements.length === 0) return reference;
  const more = count > shownElements ? " and others" : "";
  return `${reference} (${count} of the elements: ${elements.slice(0, shownElements).join(", ")}${more})`;
}

function printMappings(pen: Pen, mappings: Explanation["mappings"]): void {
  const width = largest(mappings.map(({ id }) => widthOf(safeLine(id))));
  for (const { id, takes, reason } of mappings) {
    const gap = " ".repeat(width - widthOf(safeLine(id)));
    pen.line(`  ${safeLine(id)}${gap}  ${takes ? "takes it" : reason}`, takes ? "green" : "dim");
  }
}

/** Prints the first few, and the one whose refusal refuses the whole request. */
function printActions(pen: Pen, actions: readonly ExplainedAction[]): void {
  const refusedAt = actions.findIndex(({ policy }) => !policy.allowed);
  const isShown = (index: number) => index < mostPrompts || index === refusedAt;
  for (const [index, action] of actions.entries()) {
    if (!isShown(index)) continue;
    pen.heading(actions.length === 1 ? "Action" : `Action ${index + 1} of ${actions.length}`);
    printAction(pen, action);
  }
  const hidden = actions.filter((_, index) => !isShown(index)).length;
  if (hidden > 0) pen.line(`\nAnd ${hidden} more, each with its own prompt: --json shows them all.`);
}

function printAction(pen: Pen, action: ExplainedAction): void {
  const { policy, prompt, fault, signals } = action;
  pen.field("action", action.action === "agent" ? "agent, a run" : "wake, a note for the main session");
  if (action.action === "agent") printAgentFields(pen, action);
  pen.field("wake mode", action.wakeMode);
  if (policy.allowed) pen.field("policy", "allowed");
  else pen.field("policy", `refused, ${policy.status} ${policy.code}: ${policy.error}`, "red");
  if (action.action === "agent") pen.text("message", action.message);
  else pen.text("text", action.text);
  if (fault !== null) pen.field("but", `it would fail: ${fault}`, "red");
  if (prompt === null) return;
  const found = signalWords(signals);
  pen.field("outside text", found === "none" ? "nothing hidden or forged in it" : found);
  const whose =
    action.action === "agent" ? `what agent ${action.agentId} gets` : "what the main session gets";
  const isFenced = /^\[begin [0-9a-f]{32} /m.test(prompt);
  pen.text(`${whose}${isFenced ? " (the long number of the blocks is new each time)" : ""}`, prompt);
}

function printAgentFields(pen: Pen, action: ExplainedAgent): void {
  const { tools, timeoutSeconds } = action;
  pen.field("name", action.name);
  pen.field("agent", agentText(action));
  pen.field("session key", action.sessionKey);
  pen.field("model", action.model);
  pen.field("thinking", action.thinking);
  pen.field("time limit", timeoutSeconds === null ? null : `${timeoutSeconds} s`);
  pen.field("tools", tools?.join(", ") || null);
  pen.field("reply", replyText(action));
  if (action.allowUnsafeExternalContent)
    pen.field("boundary", "none: the mapping has allowUnsafeExternalContent", "yellow");
}

function agentText({ agentId, requestedAgentId }: ExplainedAgent): string | null {
  if (agentId === null || requestedAgentId === null) return agentId ?? requestedAgentId;
  const isTheOne = agentId === requestedAgentId.toLowerCase();
  return isTheOne ? agentId : `${agentId}, because there is no ${requestedAgentId}`;
}

function replyText({ deliver, channel, to, fallback, deliverFailures }: ExplainedAgent): string {
  if (!deliver) return "stored, not sent";
  const instead = fallback ? `; if that fails, to ${targetText(fallback)}` : "";
  const failure = deliverFailures ? "" : "; a failure is not told there";
  return `sent to ${targetText({ channel, to })}${instead}${failure}`;
}

const targetText = ({ channel, to }: WantedTarget): string =>
  `channel ${channel}${to === null ? "" : `, recipient ${to}`}`;

function printResponse(pen: Pen, { status, body }: Explanation["answer"]): void {
  if (body === null) return pen.line(`  ${status}, without a body`);
  if (!("code" in body)) return pen.line(`  ${status} ${JSON.stringify(body)}`);
  pen.line(`  ${status} ${body.code}: ${body.error}`);
  for (const { path, message } of body.details ?? [])
    pen.line(`    ${path === "" ? "payload" : path}: ${message}`);
}

type Pen = ReturnType<typeof createPen>;

const nameWidth = 14;

/** Prints every text through the filter for terminals. */
function createPen(context: Context) {
  const paint = painter(context);
  const line = (text: string, style?: Style): void => {
    const safe = safeText(text);
    context.stdout.write(`${style === undefined ? safe : paint(style, safe)}\n`);
  };
  const block = (text: string): void => {
    for (const each of safeText(text).trimEnd().split("\n")) line(each === "" ? "  │" : `  │ ${each}`);
  };
  return {
    line,
    block,
    heading: (text: string): void => {
      context.stdout.write("\n");
      line(text, "bold");
    },
    field(name: string, value: string | null, style?: Style): void {
      if (value !== null) line(`  ${`${name}:`.padEnd(nameWidth)}${safeLine(value)}`, style);
    },
    text(name: string, text: string): void {
      line(`  ${name}:`);
      block(text);
    },
  };
}

// The outcome of a run.
import { RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { AgentOutcome, AgentReport } from "../../core/outcome.ts";
import { tooLargeIn } from "../../core/response-body.ts";
import { cutWithMark, oneLine } from "../../core/text.ts";
import { type Failed, failed, failedToStart } from "../failure.ts";
import { howItEnded, withTail } from "../../processes/failure.ts";
import { NotSpoken } from "./messages.ts";
import type { ProgramEnd } from "../../processes/program.ts";

const count = z.int().nonnegative();
/** The protocol has tokens only in its drafts; some agents give them already. */
const finished = z.object({
  stopReason: z.string(),
  usage: z.object({ inputTokens: count, outputTokens: count }).optional().catch(undefined),
});
const details = z.object({ details: z.string() });

const authenticationRequired = -32_000;
/** Codes of JSON-RPC and the protocol for requests that would fail again. */
const lasting = new Set([authenticationRequired, -32_002, -32_022, -32_600, -32_601, -32_602, -32_700]);
const longestMessage = 300;

const shortOf: Partial<Record<string, string>> = {
  max_tokens: "reached its limit of tokens",
  max_turn_requests: "reached its limit of steps",
};

export type Finish = { reply: string; report: AgentReport; wasRefused: boolean };

export function finishedOutcome(response: unknown, { reply, report, wasRefused }: Finish): AgentOutcome {
  const { data } = finished.safeParse(response);
  if (data === undefined) return { ...failed("the agent ended its turn without saying how"), report };
  const { stopReason, usage } = data;
  const whole: AgentReport = { ...report, ...(usage === undefined ? {} : { usage }) };
  // An agent that was refused a permission may end its turn this way, and would do so again.
  if (stopReason === "cancelled")
    return { ...failed("the agent broke off its turn", !wasRefused), report: whole };
  if (stopReason === "refusal") return { ...failed("the agent refused to reply"), report: whole };
  const short = shortOf[stopReason];
  if (reply === "") {
    const reason = short === undefined ? "the agent gave no reply" : `the agent ${short} before it replied`;
    return { ...failed(reason), report: whole };
  }
  if (short === undefined) return { kind: "replied", reply, report: whole };
  const warnings = [...(whole.warnings ?? []), `The agent ${short}: its reply may lack its end.`];
  return { kind: "replied", reply, report: { ...whole, warnings } };
}

export function brokenOutcome(
  fault: unknown,
  end: ProgramEnd,
  command: string,
  initialized: boolean,
): Failed {
  if (end.kind === "not-started") return failedToStart(command, end.code);
  if (fault instanceof RequestError) return refused(fault);
  const tooLarge = tooLargeIn(fault);
  if (tooLarge !== null) return failed(`the agent sent too much: ${tooLarge.message}`);
  if (fault instanceof NotSpoken)
    return failed(withTail(`the command ${command} does not speak ACP`, end.errorTail));
  const when = initialized ? "in the middle of the turn" : "before it spoke ACP";
  const how = end.forced ? "closed its output" : howItEnded(end);
  const mayPass = initialized || (end.exitCode === null && !end.forced);
  return failed(withTail(`the command ${how} ${when}`, end.errorTail), mayPass);
}

function refused({ code, message, data }: RequestError): Failed {
  if (code === authenticationRequired)
    return failed("the agent wants to be signed in: start it once by hand, as the gateway's user");
  const more = details.safeParse(data).data?.details;
  const text = cutWithMark(oneLine(more === undefined ? message : `${message}: ${more}`), longestMessage);
  return failed(`the agent responded with an error: ${text}`, !lasting.has(code));
}

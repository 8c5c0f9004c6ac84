// A service's response as an outcome. Only its status, its type and its own `error` text can get into a reason.
import { z } from "zod";
import type { AgentOutcome, TokenUse } from "../../core/outcome.ts";
import { bytesUpTo, TooLarge } from "../../core/response-body.ts";
import { retryAfterMs } from "../../core/retry-after.ts";
import { cutWithMark, oneLine } from "../../core/text.ts";
import type { AgentEvent, AgentInput } from "../agent.ts";
import { failed } from "../failure.ts";
import { shownText } from "../shown-text.ts";
import { EventTooLong, readEvents, type ServerEvent } from "./events.ts";
import { readText, type ServiceResponse } from "./post.ts";

const longestReply = 1_048_576;
/** Of a whole event stream: signs of life and unknown events count as well. */
const longestStream = 67_108_864;
const longestErrorBody = 65_536;
const longestErrorText = 300;
const passing = new Set([408, 425, 429]);

const count = z.int().nonnegative();
/** A tool of the service's own. `id` tells calls of one tool apart that run at the same time. */
const toolEvent = z.object({
  name: z.string(),
  state: z.enum(["started", "ended"]),
  id: z.string().optional(),
  ok: z.boolean().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
});
const message = z.object({
  tool: toolEvent.optional().catch(undefined),
  delta: z.string().optional().catch(undefined),
  reply: z.string().optional().catch(undefined),
  error: z
    .union([z.string(), z.object({ message: z.string() }).transform((error) => error.message)])
    .optional()
    .catch(undefined),
  usage: z.object({ inputTokens: count, outputTokens: count }).optional().catch(undefined),
});
type Message = z.infer<typeof message>;

export async function outcomeOf(
  response: ServiceResponse,
  now: () => number,
  onEvent: AgentInput["onEvent"] = () => {},
): Promise<AgentOutcome> {
  const status = response.statusCode;
  if (status === 202 || status === 204)
    return failed(`the service responded with ${status} and no reply: the response itself must hold it`);
  if (status >= 300 && status < 400)
    return failed(`the service responded with ${status}: redirects are not followed, give the final address`);
  if (status !== 200 && status !== 201) return refused(response, status, now());
  const type = headerIn(response, "content-type").split(";")[0]!.trim().toLowerCase();
  if (type === "application/json") return jsonOutcome(response);
  if (type === "text/event-stream") return streamOutcome(response, onEvent);
  return failed(
    `the service responded with ${shown(type) || "no content type"}, not JSON or server-sent events`,
  );
}

/** The first, where the field came more than once. */
const headerIn = ({ headers }: ServiceResponse, name: string): string =>
  [headers[name] ?? ""].flat()[0] ?? "";

async function refused(response: ServiceResponse, status: number, now: number): Promise<AgentOutcome> {
  const text = await readText(response, longestErrorBody).catch(() => null);
  const own = text === null ? undefined : messageOf(text)?.error;
  const reason = `the service responded with ${status}${own === undefined ? "" : `: ${shown(own)}`}`;
  const mayPass = status >= 500 || passing.has(status);
  const wait = mayPass ? retryAfterMs((name) => headerIn(response, name), now) : null;
  return wait === null ? failed(reason, mayPass) : { ...failed(reason, mayPass), retryAfterMs: wait };
}

async function jsonOutcome(response: ServiceResponse): Promise<AgentOutcome> {
  const text = await readText(response, longestReply);
  if (text === null) return tooLong;
  const body = messageOf(text);
  if (!body) return failed("the service's response is not a JSON object");
  if (body.reply === undefined)
    return failed(body.error === undefined ? 'the service\'s response has no "reply"' : reported(body.error));
  return replied(body.reply, body.usage);
}

async function streamOutcome(
  response: ServiceResponse,
  onEvent: NonNullable<AgentInput["onEvent"]>,
): Promise<AgentOutcome> {
  let text = "";
  let usage: TokenUse | undefined;
  try {
    for await (const event of readEvents(counted(response), longestReply)) {
      if (event.data === "[DONE]") break;
      const part = partOf(event);
      if (part.error !== undefined) return failed(reported(part.error));
      usage = part.usage ?? usage;
      if (part.reply !== undefined) return replied(part.reply, usage);
      if (part.tool !== undefined) onEvent(toolCall(part.tool));
      if (part.delta === undefined) continue;
      onEvent({ kind: "delta", text: part.delta });
      text += part.delta;
      if (text.length > longestReply) return tooLong;
    }
  } catch (fault) {
    if (fault instanceof EventTooLong) return tooLong;
    if (fault instanceof TooLarge)
      return failed(`the service responded with more than ${longestStream} bytes`);
    throw fault;
  }
  return replied(text, usage);
}

async function* counted({ body }: ServiceResponse): AsyncGenerator<Buffer> {
  const count = bytesUpTo(longestStream);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    count(chunk);
    yield chunk;
  }
}

/** Data that is no JSON object is text: a part of the reply, the whole reply, or the error, depending on the event. */
function partOf({ name, data }: ServerEvent): Message {
  const part = messageOf(data);
  if (name === "error") return { error: part ? (part.error ?? "no reason given") : data };
  if (name === "reply") return part ?? { reply: data };
  if (name === "tool") return { tool: part?.tool };
  return name === "message" || name === "delta" ? (part ?? { delta: data }) : {};
}

function toolCall({ id, name, state, ok, input, output }: z.infer<typeof toolEvent>): AgentEvent {
  const call = { kind: "tool", id: id ?? name } as const;
  return state === "started"
    ? { ...call, state, name, input: () => shownText(input) }
    : { ...call, state, ok: ok ?? null, output: () => shownText(output) };
}

function messageOf(text: string): Message | null {
  try {
    return message.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function replied(text: string, usage: TokenUse | undefined): AgentOutcome {
  const reply = text.trim();
  const report = usage === undefined ? {} : { report: { usage } };
  if (reply === "") return { ...failed("the service gave no reply"), ...report };
  return { kind: "replied", reply, ...report };
}

const tooLong = failed(`the service responded with more than ${longestReply} bytes`);
const shown = (text: string): string => cutWithMark(oneLine(text), longestErrorText);
const reported = (error: string): string => `the service says: ${shown(error)}`;

// iMessage through `imsg rpc` on a Mac: a program that speaks JSON-RPC over its standard input and output, here or at
// the other end of ssh. It is started for each message.
import type { CheckResult, OutgoingMessage, SendOutcome } from "../sdk/channel.ts";
import {
  methodNotFound,
  misunderstood,
  readRpcResponse,
  type RpcResponse,
  type RpcError,
  rpcRequest,
} from "./json-rpc.ts";
import { again, checkOf, quoted, rejected, unknown } from "./outcome.ts";
import { createReaper } from "../processes/reaper.ts";
import { askProgram, type AskOutcome } from "../processes/ask.ts";
import { objectOn } from "../processes/lines.ts";

export type ImsgOptions = { timeoutMs?: number; graceMs?: number };

/** `isChat`: the recipient is the guid of a chat, not a phone number or mail address. */
type Message = OutgoingMessage & { isChat: boolean };
type Imsg = {
  send(message: Message, signal: AbortSignal): Promise<SendOutcome>;
  check(signal: AbortSignal): Promise<CheckResult>;
};

export function createImsg(
  [command = "", ...args]: readonly string[],
  { timeoutMs = 60_000, graceMs = 2000 }: ImsgOptions = {},
): Imsg {
  const reaper = createReaper();
  const ask = (id: string, method: string, params: object, signal: AbortSignal) => {
    const line = onOneLine(JSON.stringify(rpcRequest(id, method, params)));
    const readLine = (written: string) => readRpcResponse(objectOn(written), id);
    return askProgram({ command, args, line, readLine, timeoutMs, graceMs, reaper }, signal);
  };
  return {
    async send({ id, to, text, isChat }, signal) {
      if (signal.aborted) return again("stopped before it was sent");
      // Without a service, imsg may fall back to SMS.
      const params = isChat ? { chat_guid: to, text } : { to, text, service: "imessage" };
      const end = await ask(id, "send", params, signal);
      return end.kind === "replied" ? readResponse(end.reply) : withoutReply(end, command);
    },
    async check(signal) {
      const end = await ask("check", "status", {}, signal);
      if (end.kind !== "replied") return checkOf(withoutReply(end, command), "");
      return readStatus(end.reply);
    },
  };
}

/** JSON leaves these characters as they are, and some line readers end a line there. */
const onOneLine = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

function readResponse(response: RpcResponse): SendOutcome {
  if (response.kind === "error") return readError(response);
  const { ok } = response.result as { ok?: unknown };
  return ok === true ? { kind: "sent" } : unknown("imsg responded, but not that it was sent");
}

/** The database or the bridge is away, or another send is stuck: this one did not start. */
const notStartedCodes: ReadonlySet<number> = new Set([-32_000, -32_002, -32_003, -32_004]);

function readError(error: RpcError): SendOutcome {
  const reason = `imsg could not send it: ${inItsWords(error)}`;
  const { retry_safe: isSafe } = (error.data ?? {}) as { retry_safe?: unknown };
  if (isSafe === true || notStartedCodes.has(error.code)) return again(reason);
  return misunderstood.has(error.code) ? rejected(reason) : unknown(reason);
}

function inItsWords({ code, message, data }: RpcError): string {
  const detail = typeof data === "string" ? data : (data as { detail?: unknown } | null | undefined)?.detail;
  const text = typeof detail === "string" ? `${message}: ${detail}` : message;
  return `${quoted(text, "")} (${code})`;
}

/** Older versions do not know `status`, but that response shows that they run. */
function readStatus(response: RpcResponse): CheckResult {
  if (response.kind === "result") {
    const { version } = response.result as { version?: unknown };
    return { ok: true, detail: typeof version === "string" ? `imsg ${version}` : "imsg" };
  }
  if (response.code === methodNotFound) return { ok: true, detail: "imsg" };
  return { ok: false, reason: `imsg is not ready: ${inItsWords(response)}` };
}

type WithoutReply = Exclude<AskOutcome<RpcResponse>, { kind: "replied" }>;

const noSuchCommand = 127;
const sshNotConnected = /^ssh: (connect to host|Could not resolve hostname) /m;

function withoutReply(end: WithoutReply, program: string): SendOutcome {
  if (end.kind === "stopped") return unknown("stopped before imsg responded");
  if (end.kind === "late") return unknown("imsg did not respond in time");
  if (end.kind === "too-much-output")
    return unknown(`imsg wrote more than ${end.mostBytes} bytes, and no response`);
  if (end.kind === "not-started") return notStarted(end.code, program);
  const lastLine = quoted(end.errorTail.trim().split("\n").at(-1) ?? "", "");
  const how = end.exitCode === null ? "was ended" : `ended with exit code ${end.exitCode}`;
  const reason = `the program ${program} ${how} before it responded${lastLine === "" ? "" : `: ${lastLine}`}`;
  if (end.exitCode === noSuchCommand) return rejected(reason);
  return sshNotConnected.test(end.errorTail) ? again(reason) : unknown(reason);
}

function notStarted(code: string, program: string): SendOutcome {
  if (code === "ENOENT") return rejected(`the program ${program} was not found`);
  if (code === "EACCES") return rejected(`the program ${program} may not be run`);
  return again(`the program ${program} could not be started: ${code}`);
}

// Signal, through a signal-cli daemon (`signal-cli daemon --http`), which speaks JSON-RPC. It has no password: it
// must be reachable only from here.
//
// A message is its text and the ranges of it that have a style. The port has one string for it: both as JSON.
import { largest } from "../core/largest.ts";
import type { Channel, ChannelTools, SendOutcome } from "../sdk/channel.ts";
import type { SignalSettings } from "../config/schema/channels.ts";
import { misunderstood, readRpcResponse, type RpcError, rpcRequest } from "./json-rpc.ts";
import { again, checkOf, limited, outcomeOf, quoted, rejected, unknown, within } from "./outcome.ts";
import { phoneNumber } from "./phone.ts";
import { type Responded, postJson } from "./request.ts";
import { renderings } from "./renderings.ts";

const usualBase = "http://127.0.0.1:8080";
/** Sending to a large group takes its time. */
const timeoutMs = 60_000;
/** The response lists each recipient, and a group can have a thousand. */
const mostBytes = 2_000_000;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const group = /^group:([A-Za-z0-9+/]{8,}={0,2})$/;

export function createSignal(settings: SignalSettings, { fetch }: ChannelTools): Channel {
  const url = within(settings.apiBase ?? usualBase, "api/v1/rpc");
  const account = settings.account === undefined ? {} : { account: settings.account };
  const ask = (id: string, method: string, params: object, signal: AbortSignal) =>
    postJson(url, {
      body: rpcRequest(id, method, { ...account, ...params }),
      signal,
      fetch,
      timeoutMs,
      mostBytes,
    });

  return {
    idempotent: false,
    recipientFault: (to) =>
      recipientOf(to) === null
        ? "must be a phone number such as +15550001111, the id of an account (a UUID), or group: and the group's id"
        : null,
    render: renderings.signal,
    async send({ id, to, text }, signal) {
      const { text: message, styles } = JSON.parse(text) as { text: string; styles: string[] };
      const params = { ...recipientOf(to), message, ...(styles.length > 0 && { textStyle: styles }) };
      const response = await ask(id, "send", params, signal);
      return outcomeOf(response, (responded) => readResponse(responded, id, readSent));
    },
    async check(signal) {
      const response = await ask("check", "version", {}, signal);
      const outcome = outcomeOf(response, (responded) =>
        readResponse(responded, "check", () => ({ kind: "sent" })),
      );
      const version = response.kind === "responded" ? versionOf(response.json) : null;
      return checkOf(outcome, version === null ? "signal-cli" : `signal-cli ${version}`);
    },
  };
}

function versionOf(json: unknown): string | null {
  const { result } = (json ?? {}) as { result?: { version?: unknown } | null };
  return typeof result?.version === "string" ? result.version : null;
}

function recipientOf(to: string): { recipient: string[] } | { groupId: string } | null {
  const groupId = group.exec(to)?.[1];
  if (groupId !== undefined) return { groupId };
  const recipient = uuid.test(to) ? to.toLowerCase() : phoneNumber(to);
  return recipient === null ? null : { recipient: [recipient] };
}

type Read = (result: unknown) => SendOutcome | null;

function readResponse({ status, json }: Responded, id: string, read: Read): SendOutcome | null {
  if (status === 404)
    return rejected("there is no signal-cli daemon with --http at this address: check apiBase");
  if (status === 421)
    return rejected(
      "signal-cli does not take requests under this name: use in apiBase the address it listens on",
    );
  if (status >= 300) return null;
  const response = readRpcResponse(json, id);
  if (response === null) return null;
  return response.kind === "result" ? read(response.result) : readError(response);
}

type Sent = { type?: unknown; retryAfterSeconds?: unknown; token?: unknown };

/** A group counts as sent when one recipient has the message: a second attempt would double it for that one. */
function readSent(result: unknown): SendOutcome | null {
  const { results } = (result ?? {}) as { results?: unknown };
  if (!Array.isArray(results)) return null;
  const each = results as Sent[];
  const ofType = (type: string) => each.filter((one) => one?.type === type);
  if (each.length === 0 || ofType("SUCCESS").length > 0) return { kind: "sent" };
  const limits = ofType("RATE_LIMIT_FAILURE");
  if (limits.some(({ token }) => typeof token === "string")) return rejected(captcha);
  if (limits.length > 0) return limited(longestMs(limits));
  if (ofType("NETWORK_FAILURE").length > 0) return again("signal-cli could not reach Signal");
  return rejected(failures[String(each[0]?.type)] ?? "signal-cli could not send it to this recipient");
}

const captcha =
  "Signal wants a captcha solved before it takes more: see `signal-cli submitRateLimitChallenge`";
const untrusted =
  "the recipient's safety number has changed: compare it, and trust it with `signal-cli trust`";
const failures: Record<string, string> = {
  UNREGISTERED_FAILURE: "the recipient is not on Signal",
  IDENTITY_FAILURE: untrusted,
  INVALID_PRE_KEY_FAILURE:
    "the recipient's keys are not valid: they have to open Signal on their phone first",
};

function longestMs(limits: Sent[]): number | null {
  const seconds = limits.flatMap(({ retryAfterSeconds: wait }) => (typeof wait === "number" ? [wait] : []));
  return seconds.length === 0 ? null : largest(seconds) * 1000;
}

/** When it failed for every recipient, signal-cli responds with an error whose data has the fault of each. */
function readError({ code, message, data }: RpcError): SendOutcome {
  const outcome = readSent((data as { response?: unknown } | null | undefined)?.response);
  if (outcome !== null) return outcome;
  const text = quoted(message, "");
  if (code === -1 || misunderstood.has(code)) return rejected(`signal-cli refused it: ${text}`);
  if (code === -4) return rejected(untrusted);
  if (code === -5) return limited(null);
  if (code === -6) return rejected(captcha);
  return unknown(`signal-cli failed while sending: ${text}`);
}

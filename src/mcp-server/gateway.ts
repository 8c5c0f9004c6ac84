// The running gateway, asked through its admin API and nothing else.
import { randomUUID } from "node:crypto";
import { codeOf } from "../core/errors.ts";
import { boundedFetch, tooLargeIn } from "../core/response-body.ts";
import { cleanLine } from "../untrusted/metadata.ts";
import { type CallInput, createClient, type OperationName, RouseError } from "../sdk/client/client.ts";
import { type Operations, operations } from "../sdk/client/shapes.ts";

export type GatewayOptions = {
  /** The gateway's address, such as `http://127.0.0.1:4665`. */
  readonly url: string;
  readonly token: string;
  readonly fetch?: typeof fetch;
  readonly limitMs?: number;
};

export type AskOptions = {
  readonly signal?: AbortSignal;
  /** Of a POST: with the same key, nothing is done twice. */
  readonly key?: string | undefined;
  readonly ifMatch?: string;
  readonly onHeaders?: (headers: Headers) => void;
};

export type Gateway = {
  readonly url: string;
  ask<Name extends OperationName>(
    name: Name,
    input: CallInput<Name>,
    options?: AskOptions,
  ): Promise<Operations[Name]["answer"]>;
};

/** Why a tool could not do its work, for the model. It holds no text from outside. */
export class ToolError extends Error {
  override name = "ToolError";
  /** Of the gateway's refusal; null: it gave no answer. */
  readonly status: number | null;
  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** Of one answer. A page of runs has their whole replies. */
const mostAnswerBytes = 48_000_000;
const usualLimitMs = 60_000;
const longestMessage = 1500;

export function createGateway({ url, token, limitMs = usualLimitMs, ...options }: GatewayOptions): Gateway {
  const bounded = boundedFetch({ mostBytes: mostAnswerBytes }, options.fetch);
  const client = createClient({
    url,
    token,
    fetch: (to, init) => bounded(to, { ...init, redirect: "error" }),
  });
  return {
    url,
    async ask(name, input, { signal, key, ifMatch, onHeaders } = {}) {
      const [method] = operations[name];
      const headers = {
        "x-rouse-actor": "mcp",
        ...(method === "POST" && { "idempotency-key": key ?? randomUUID() }),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
      };
      const limit = AbortSignal.timeout(limitMs);
      const until = signal === undefined ? limit : AbortSignal.any([limit, signal]);
      const once = () => client.call(name, ...([input, { headers, signal: until, onHeaders }] as never));
      try {
        return await once().catch((fault: unknown) => {
          // The connection broke. A second try is harmless, for a POST by its key.
          const isOver = fault instanceof RouseError || until.aborted || tooLargeIn(fault) !== null;
          if (isOver || method === "PUT" || codeOfCause(fault) === refused) throw fault;
          return once();
        });
      } catch (fault) {
        throw toolError(fault, { url, limitMs, changes: method !== "GET" });
      }
    },
  };
}

const refused = "ECONNREFUSED";

const firstLimitMs = 5000;

/** Why the gateway cannot be asked now; null: it can. */
export async function firstFault({ ask }: Gateway): Promise<ToolError | null> {
  try {
    await ask("getStatus", {}, { signal: AbortSignal.timeout(firstLimitMs) });
    return null;
  } catch (fault) {
    if (fault instanceof ToolError) return fault;
    throw fault;
  }
}

type Asked = { url: string; limitMs: number; changes: boolean };

export function toolError(fault: unknown, { url, limitMs, changes }: Asked): ToolError {
  if (fault instanceof RouseError) return new ToolError(refusalWords(fault), fault.status);
  if (tooLargeIn(fault))
    return new ToolError("The answer is too large to be read: ask for fewer, with limit.");
  const code = codeOfCause(fault);
  if (code === refused)
    return new ToolError(`Nothing listens on ${url}: the gateway is not running. Start it with: rouse start`);
  const look = changes ? " Whether it was done is not known: look with list_audit before you try again." : "";
  if (fault instanceof Error && fault.name === "TimeoutError")
    return new ToolError(`The gateway at ${url} gave no answer within ${limitMs / 1000} seconds.${look}`);
  return new ToolError(
    `The gateway at ${url} could not be reached (${cleanLine(code, 100)}). Is it running, and is this its address?${look}`,
  );
}

/** `fetch` wraps the system's fault. */
const codeOfCause = (fault: unknown): string =>
  fault instanceof Error && fault.cause !== undefined ? codeOf(fault.cause) : codeOf(fault);

const hints: Readonly<Record<string, string>> = {
  unauthorized:
    "The token is not the gateway's: see gateway.auth.token in its config, then start rouse mcp anew.",
  "not-found": "Is this a gateway of this version, and does its config set gateway.auth.token?",
  "config-differs": "Read the config again, with read_config.",
  "precondition-failed":
    "Read the config again, with read_config, and repeat the change on what it says now.",
};

function refusalWords({ status, code, message, retryAfterSeconds }: RouseError): string {
  const what = code === "" ? `HTTP ${status}` : code;
  const wait = retryAfterSeconds === null ? null : `It may be tried again in ${retryAfterSeconds} seconds.`;
  return [
    `The gateway refused it (${cleanLine(what, 100)}):`,
    cleanLine(message, longestMessage),
    hints[code],
    wait,
  ]
    .filter(Boolean)
    .join(" ");
}

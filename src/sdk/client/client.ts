// `rouse/client`: sends requests, gets their results, and reads and changes what a gateway has stored. Only `fetch` and
// what every browser has beside it; no dependency.
import { readEvents, type ServerEvent } from "./events.ts";
import { type Operations, operations } from "./shapes.ts";

export type * from "./shapes.ts";
export { type Callback, verify, WebhookRefused } from "./verify.ts";

export type ClientOptions = {
  /** The gateway's address, such as `http://127.0.0.1:4665`. */
  readonly url: string;
  /** Of `hooks.token` or `hooks.tokens` to send and to read results; `gateway.auth.token` for everything else. */
  readonly token: string;
  /** `hooks.path`. Default `/hooks`. */
  readonly hooksPath?: string;
  readonly fetch?: typeof fetch;
  /** The longest pause between two tries while the gateway cannot be reached. Default 10 seconds. */
  readonly longestPauseMs?: number;
};

export type SendOptions = {
  /** The same key leads to the same run, however often it is sent. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** What a hook answered: ids of what was stored, or nothing (a 204). */
export type Sent = {
  readonly runId?: string;
  readonly runIds?: readonly string[];
  readonly eventId?: string;
  readonly eventIds?: readonly string[];
  readonly mode?: "now" | "next-heartbeat";
};

export type RunStatus = "queued" | "parked" | "running" | "succeeded" | "failed" | "timed-out" | "cancelled";

/** `reply` and `error` are missing where only the status may be read. */
export type Result = {
  readonly ok: true;
  readonly runId: string;
  readonly status: RunStatus;
  readonly reply?: string | null;
  readonly error?: string | null;
  readonly attempts: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cost: number;
  } | null;
};

export type StreamEvent =
  | { readonly type: "run"; readonly run: { runId: string; status: RunStatus; attempts: number } }
  | { readonly type: "delta"; readonly text: string }
  /** All that the agent said so far: it stands for the deltas before it. */
  | { readonly type: "snapshot"; readonly text: string }
  | {
      readonly type: "tool";
      readonly name: string;
      readonly state: "started" | "ended";
      readonly ms: number | null;
      readonly ok: boolean | null;
    }
  | { readonly type: "end"; readonly result: Result };

export type WaitOptions = { readonly signal?: AbortSignal };

export type OperationName = keyof Operations;

type Given<Part> = keyof Part extends never ? unknown : Part;
/** Path parameters, query and body of a call together: their names never meet. `headers`: such as `If-Match`. */
export type CallInput<Name extends OperationName> = Given<Operations[Name]["path"]> &
  Given<Operations[Name]["query"]> &
  (Operations[Name]["body"] extends undefined ? unknown : { readonly body: Operations[Name]["body"] });
export type CallOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type Client = {
  /** Sends a payload to a hook: `wake`, `agent`, or the name of a mapping. */
  send(hook: string, payload: unknown, options?: SendOptions): Promise<Sent>;
  /** Resolves when the run has ended, however long it takes and however often the gateway restarts meanwhile. */
  wait(runId: string, options?: WaitOptions): Promise<Result>;
  /** The run as it is now. */
  result(runId: string, options?: WaitOptions): Promise<Result>;
  /** What happens, until the run has ended. Connects again by itself. */
  stream(runId: string, options?: WaitOptions): AsyncGenerator<StreamEvent, Result>;
  /** Runs, newest first, page by page. */
  runs(
    filter?: Omit<Operations["listRuns"]["query"], "cursor">,
  ): AsyncGenerator<Operations["listRuns"]["answer"]["items"][number]>;
  /** Requests, newest first, page by page. */
  requests(
    filter?: Omit<Operations["listRequests"]["query"], "cursor">,
  ): AsyncGenerator<Operations["listRequests"]["answer"]["items"][number]>;
  /** Any call of the API, by the name that its description gives it. */
  call<Name extends OperationName>(
    name: Name,
    ...input: object extends CallInput<Name>
      ? [CallInput<Name>?, CallOptions?]
      : [CallInput<Name>, CallOptions?]
  ): Promise<Operations[Name]["answer"]>;
};

/** The gateway refused it. `retryAfterSeconds`: when it may be tried again. */
export class RouseError extends Error {
  override name = "RouseError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string }[];
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: unknown, retryAfterSeconds: number | null) {
    const {
      code = "",
      error = "",
      details = [],
    } = (body ?? {}) as Partial<{
      code: string;
      error: string;
      details: { path: string; message: string }[];
    }>;
    const more = details.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
    super([error || `The gateway answered ${status}.`, more].filter((each) => each !== "").join(" "));
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Of one long poll: below the minute that proxies allow. */
const pollSeconds = 50;
const firstPauseMs = 500;
const usualLongestPauseMs = 10_000;

export function createClient(options: ClientOptions): Client {
  const { url, token, hooksPath = "/hooks", longestPauseMs = usualLongestPauseMs } = options;
  const base = url.replace(/(?<!\/)\/+$/, "");
  const hooks = base + (hooksPath.startsWith("/") ? hooksPath : `/${hooksPath}`);
  const doFetch = options.fetch ?? fetch;

  const ask = async (target: string, init: RequestInit): Promise<Response> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(init.headers as Record<string, string> | undefined),
    };
    const response = await doFetch(target, { ...init, headers });
    if (response.ok || response.status === 304) return response;
    throw await refusalOf(response);
  };

  /** Tries again while the gateway is away or stopping, for as long as `signal` allows. */
  async function untilAnswered<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (fault) {
        signal?.throwIfAborted();
        if (!mayPass(fault)) throw fault;
        const asked = fault instanceof RouseError ? (fault.retryAfterSeconds ?? 0) * 1000 : 0;
        const own = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 20));
        await pause(Math.min(Math.max(asked, own), longestPauseMs), signal);
      }
    }
  }

  const poll = async (runId: string, waitSeconds: number, signal?: AbortSignal): Promise<Result> => {
    const response = await ask(`${hooks}/runs/${encodeURIComponent(runId)}`, {
      headers: { accept: "application/json", ...(waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }) },
      ...(signal && { signal }),
    });
    return (await response.json()) as Result;
  };

  async function* events(
    runId: string,
    lastId: string | null,
    signal?: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    const response = await ask(`${hooks}/runs/${encodeURIComponent(runId)}/events`, {
      headers: { accept: "text/event-stream", ...(lastId !== null && { "last-event-id": lastId }) },
      ...(signal && { signal }),
    });
    if (response.body !== null) yield* readEvents(response.body);
  }

  const wait: Client["wait"] = async (runId, { signal } = {}) => {
    for (;;) {
      const startedAt = Date.now();
      const result = await untilAnswered(() => poll(runId, pollSeconds, signal), signal);
      if (hasEnded(result)) return result;
      // A gateway on which too many wait answers at once.
      if (Date.now() - startedAt < 1000) await pause(2000, signal);
    }
  };

  async function* stream(runId: string, { signal }: WaitOptions = {}): AsyncGenerator<StreamEvent, Result> {
    let lastId: string | null = null;
    for (;;) {
      try {
        for await (const event of events(runId, lastId, signal)) {
          if (event.id !== null) lastId = event.id;
          const known = streamEvent(event);
          if (known === null) continue;
          yield known;
          if (known.type === "end") return known.result;
        }
      } catch (fault) {
        signal?.throwIfAborted();
        if (!mayPass(fault)) throw fault;
      }
      // The connection ended before the run did, or the gateway has no place for another stream.
      const result = await untilAnswered(() => poll(runId, 1, signal), signal);
      if (!hasEnded(result)) {
        await pause(firstPauseMs, signal);
        continue;
      }
      yield { type: "end", result };
      return result;
    }
  }

  const call: Client["call"] = async (name, ...given) => {
    const [input, { headers, signal } = {}] = given as [object?, CallOptions?];
    const [method, path] = operations[name];
    const { body, ...named } = (input ?? {}) as Record<string, unknown>;
    const left = new Map(Object.entries(named));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
      const value = String(left.get(key));
      left.delete(key);
      return encodeURIComponent(value);
    });
    const query = queryOf(left);
    const response = await ask(base + filled + (query === "" ? "" : `?${query}`), {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.status === 204) return undefined as never;
    return (type.startsWith("application/json") ? await response.json() : response) as never;
  };

  async function* pages<Item>(
    read: (cursor: string | null) => Promise<{ items: readonly Item[]; nextCursor: string | null }>,
  ): AsyncGenerator<Item> {
    let cursor: string | null = null;
    do {
      const page = await read(cursor);
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  return {
    async send(hook, payload, { idempotencyKey, headers, signal } = {}) {
      const response = await ask(`${hooks}/${hook.split("/").map(encodeURIComponent).join("/")}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          ...headers,
        },
        body: JSON.stringify(payload),
        ...(signal && { signal }),
      });
      return response.status === 204 ? {} : ((await response.json()) as Sent);
    },
    wait,
    result: (runId, { signal } = {}) => poll(runId, 0, signal),
    stream,
    runs: (filter = {}) =>
      pages((cursor) => call("listRuns", { ...filter, ...(cursor !== null && { cursor }) })),
    requests: (filter = {}) =>
      pages((cursor) => call("listRequests", { ...filter, ...(cursor !== null && { cursor }) })),
    call,
  };
}

const unfinished: ReadonlySet<string> = new Set(["queued", "parked", "running"]);
const hasEnded = ({ status }: Pick<Result, "status">): boolean => !unfinished.has(status);

/** A refusal that may pass, or a connection that broke: `fetch` throws a TypeError. */
const mayPass = (fault: unknown): boolean =>
  fault instanceof RouseError
    ? fault.status === 429 || (fault.status >= 500 && fault.status !== 501)
    : fault instanceof TypeError ||
      (fault instanceof Error && /network|terminated|aborted/i.test(fault.message));

async function refusalOf(response: Response): Promise<RouseError> {
  const written = response.headers.get("retry-after") ?? "";
  const retryAfter = /^\d{1,6}$/.test(written) ? Number(written) : null;
  const body: unknown = await response.json().catch(() => null);
  return new RouseError(response.status, body, retryAfter);
}

function streamEvent({ event, data }: ServerEvent): StreamEvent | null {
  const value = JSON.parse(data) as never;
  switch (event) {
    case "run":
      return { type: "run", run: value };
    case "end":
      return { type: "end", result: value };
    case "delta":
    case "snapshot":
      return { type: event, ...(value as { text: string }) };
    case "tool":
      return { type: "tool", ...(value as { name: string; state: "started"; ms: null; ok: null }) };
    default:
      return null;
  }
}

function queryOf(named: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of named)
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (each !== undefined && each !== null) query.append(name, String(each));
  return query.toString();
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });

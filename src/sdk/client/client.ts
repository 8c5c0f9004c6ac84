// `rouse/client`: sends requests, gets their results, and reads and changes what a gateway has stored. Only `fetch` and
// what every browser has beside it; no dependency.
import { readEvents, type ServerEvent } from "./events.ts";
import { operations } from "./shapes.ts";
import type { CallOptions, Client, ClientOptions, Result, Sent, StreamEvent, WaitOptions } from "./types.ts";

export type * from "./shapes.ts";
export type * from "./types.ts";
export { type Callback, verify, WebhookRefused } from "./verify.ts";

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
      const startedAt = performance.now();
      const result = await untilAnswered(() => poll(runId, pollSeconds, signal), signal);
      if (hasEnded(result)) return result;
      // A gateway on which too many wait answers at once.
      if (performance.now() - startedAt < 1000) await pause(2000, signal);
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
    const [input, { headers, signal, onHeaders } = {}] = given as [object?, CallOptions?];
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
    onHeaders?.(response.headers);
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
      if (typeof each === "string" || typeof each === "number" || typeof each === "boolean")
        query.append(name, String(each));
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

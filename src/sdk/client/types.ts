// What the client takes and gives.
import type { Operations } from "./shapes.ts";

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

/** What has no fields is left out. */
type Given<Part> = string extends keyof Part ? unknown : Part;
/** Path parameters, query and body of a call together: their names never meet. `headers`: such as `If-Match`. */
export type CallInput<Name extends OperationName> = Given<Operations[Name]["path"]> &
  Given<Operations[Name]["query"]> &
  (Operations[Name]["body"] extends undefined ? unknown : { readonly body: Operations[Name]["body"] });
export type CallOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Hears the headers of the answer, such as the `ETag` of the config. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
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

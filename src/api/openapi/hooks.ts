// The hooks' own endpoints in the OpenAPI document, under the default of `hooks.path`.
import { wakeModes } from "../../core/action.ts";
import { catalogue, type ErrorCode } from "../../core/errors.ts";
import { longestRunSeconds, runStatuses } from "../../core/run.ts";

type Json = Readonly<Record<string, unknown>>;

const beforeTheBody: readonly ErrorCode[] = [
  "token-in-query",
  "repeated-header",
  "unauthorized",
  "too-many-failures",
  "unknown-hook",
  "not-found",
];
const body: readonly ErrorCode[] = [
  "body-too-large",
  "body-timeout",
  "unsupported-media-type",
  "unsupported-encoding",
  "invalid-json",
  "invalid-payload",
  "invalid-idempotency-key",
  "idempotency-mismatch",
];
const policy: readonly ErrorCode[] = [
  "session-key-not-allowed",
  "session-key-prefix",
  "agent-not-allowed",
  "agent-unknown",
  "model-not-allowed",
  "channel-unknown",
  "callback-unknown",
];
const ends: readonly ErrorCode[] = ["queue-full", "store-unavailable", "stopping", "internal-error"];

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "A second request with the same key and body gets the first response.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ "application/json": { schema } });

const toRead: readonly ErrorCode[] = [
  "token-in-query",
  "repeated-header",
  "unauthorized",
  "too-many-failures",
  "not-found",
];

const text = { type: "string" };
const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  description,
  schema: text,
});
const runId: Json = { name: "id", in: "path", required: true, schema: text };
const prefer = header("Prefer", "`wait=N`: up to so many seconds, 1 to 60, the response waits for the end.");
const ifNoneMatch = header("If-None-Match", "The `ETag` of the result that the caller has.");
const lastEventId = header("Last-Event-ID", "The last id that the caller has heard.");

export const hookPaths = (): Json => ({
  "/hooks/wake": {
    post: hook({
      operationId: "wake",
      summary: "Leaves a note for the agent's main session.",
      requestBody: { required: true, content: json(reference("WakePayload")) },
      responses: { 200: { description: "It is stored.", content: json(reference("WakeAccepted")) } },
      codes: [...beforeTheBody, ...body, ...ends],
    }),
  },
  "/hooks/agent": {
    post: hook({
      operationId: "runAgent",
      summary: "Runs an agent on its own, and delivers its reply.",
      requestBody: { required: true, content: json(reference("AgentPayload")) },
      parameters: [prefer],
      responses: {
        200: {
          description: "The caller waited, and the run has ended; or it asked for events.",
          content: { ...json(reference("RunResult")), "text/event-stream": { schema: text } },
        },
        202: { description: "The run is stored.", content: json(reference("RunAccepted")) },
      },
      codes: [...beforeTheBody, ...body, ...policy, ...ends],
    }),
  },
  "/hooks/runs/{id}": {
    get: read({
      operationId: "getResult",
      summary:
        "What has become of a run, for the token that started it or the gateway token, as far as `hooks.results` allows.",
      parameters: [runId, prefer, ifNoneMatch],
      responses: {
        200: { description: "The result, or the state so far.", content: json(reference("RunResult")) },
        304: { description: "It is as the caller knows it." },
      },
      codes: [...toRead, "unknown-run", "run-expired", "internal-error", "store-unavailable"],
    }),
  },
  "/hooks/runs/{id}/events": {
    get: read({
      operationId: "followResult",
      summary: "Server-sent events of a run: `run` first, `delta`, `tool`, `snapshot`, `end`.",
      parameters: [runId, lastEventId],
      responses: {
        200: { description: "The events.", content: { "text/event-stream": { schema: text } } },
        204: { description: "The caller has heard its end." },
      },
      codes: [
        ...toRead,
        "unknown-run",
        "run-expired",
        "too-many-streams",
        "stopping",
        "internal-error",
        "store-unavailable",
      ],
    }),
  },
  "/hooks/{name}": {
    post: hook({
      operationId: "callMappedHook",
      summary:
        "A mapped hook, which turns any payload into actions; or a sender's, which needs that sender's proof.",
      parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: {
          ...json({}),
          "application/x-www-form-urlencoded": { schema: { type: "object" } },
          "multipart/form-data": { schema: { type: "object" } },
          "application/xml": { schema: {} },
        },
      },
      responses: {
        200: { description: "Notes are stored.", content: json(reference("MappedAccepted")) },
        202: { description: "Runs are stored.", content: json(reference("MappedAccepted")) },
        204: { description: "The mapping decided that there is nothing to do." },
      },
      codes: [...beforeTheBody, ...body, "invalid-body", ...policy, "mapping-failed", ...ends],
    }),
  },
});

type HookOptions = {
  operationId: string;
  summary: string;
  parameters?: readonly Json[];
  requestBody: Json;
  responses: Json;
  codes: readonly ErrorCode[];
};

const hook = ({ parameters = [], ...rest }: HookOptions): Json =>
  read({ ...rest, parameters: [...parameters, idempotencyKey] });

function read({ codes, responses, ...rest }: Omit<HookOptions, "requestBody">): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => String(catalogue[code].status));
  const refusals = [...byStatus].map(([status, own]) => [
    status,
    {
      description: own.map((code) => `\`${code}\`: ${catalogue[code].text}`).join("\n\n"),
      content: json(reference("HookError")),
    },
  ]);
  return {
    ...rest,
    tags: ["hooks"],
    security: [{ hookToken: [] }, { gatewayTokenHeader: [] }],
    responses: { ...responses, ...(Object.fromEntries(refusals) as Json) },
  };
}

const ids = { type: "array", items: text };
const ok = { const: true };
const time = { ...text, format: "date-time" };
const maybeText = { type: ["string", "null"] };
const maybeTime = { ...maybeText, format: "date-time" };

const object = (required: readonly string[], properties: Json): Json => ({
  type: "object",
  required,
  properties,
});

export const hookSchemas = (): Json => ({
  WakePayload: object(["text"], { text, mode: { enum: wakeModes, default: wakeModes[0] } }),
  WakeAccepted: object(["ok", "mode", "eventId"], { ok, mode: { enum: wakeModes }, eventId: text }),
  AgentPayload: object(["message"], {
    message: text,
    name: { ...text, maxLength: 500 },
    agentId: { ...text, maxLength: 200 },
    sessionKey: { ...text, maxLength: 200 },
    wakeMode: { enum: wakeModes, default: wakeModes[0] },
    deliver: { type: "boolean", default: true },
    channel: { ...text, maxLength: 200, default: "last" },
    to: { ...text, maxLength: 500 },
    model: { ...text, maxLength: 200 },
    thinking: { ...text, maxLength: 32 },
    timeoutSeconds: { type: "number", exclusiveMinimum: 0, maximum: longestRunSeconds },
    waitForCompletion: { type: "boolean", default: false },
    callback: { ...text, maxLength: 64 },
  }),
  RunAccepted: object(["ok", "runId"], { ok, runId: text, status: { enum: runStatuses } }),
  RunResult: object(["ok", "runId", "status", "attempts", "createdAt", "startedAt", "endedAt", "usage"], {
    ok,
    runId: text,
    status: { enum: runStatuses },
    reply: { ...maybeText, description: "Only where the caller may read it." },
    error: maybeText,
    attempts: { type: "integer", minimum: 0 },
    createdAt: time,
    startedAt: maybeTime,
    endedAt: maybeTime,
    usage: {
      anyOf: [
        object(["inputTokens", "outputTokens", "cost"], {
          inputTokens: { type: "integer" },
          outputTokens: { type: "integer" },
          cost: { type: "number" },
        }),
        { type: "null" },
      ],
    },
  }),
  MappedAccepted: object(["ok"], {
    ok,
    mode: { enum: wakeModes },
    eventId: text,
    eventIds: ids,
    runId: text,
    runIds: ids,
  }),
  HookError: object(["ok", "code", "error"], {
    ok: { const: false },
    code: text,
    error: text,
    details: { type: "array", items: object(["path", "message"], { path: text, message: text }) },
  }),
});

// The hooks' own endpoints in the OpenAPI document, under the default of `hooks.path`.
import { wakeModes } from "../../core/action.ts";
import { catalogue, type ErrorCode } from "../../core/errors.ts";
import { longestRunSeconds } from "../../core/run.ts";

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
      responses: { 202: { description: "The run is stored.", content: json(reference("RunAccepted")) } },
      codes: [...beforeTheBody, ...body, ...policy, ...ends],
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

function hook({ codes, parameters = [], responses, ...rest }: HookOptions): Json {
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
    parameters: [...parameters, idempotencyKey],
    responses: { ...responses, ...(Object.fromEntries(refusals) as Json) },
  };
}

const text = { type: "string" };
const ids = { type: "array", items: text };
const ok = { const: true };

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
  }),
  RunAccepted: object(["ok", "runId"], { ok, runId: text }),
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

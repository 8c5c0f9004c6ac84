// The OpenAPI document of the admin API and of the hooks' own endpoints, made from the schemas by which requests are
// checked.
import { z } from "zod";
import { catalogue, type ErrorCode } from "../../core/errors.ts";
import { apiPath } from "../frame/find-route.ts";
import { problemType, typeOf } from "../frame/problem.ts";
import type { Answer, Route } from "../frame/route.ts";
import { hookPaths, hookSchemas } from "./hooks.ts";

type Json = Readonly<Record<string, unknown>>;

/** What any route may answer. */
const everywhere: readonly ErrorCode[] = [
  "repeated-header",
  "unauthorized",
  "too-many-failures",
  "misdirected-request",
  "too-many-requests",
  "invalid-parameter",
  "stopping",
  "store-unavailable",
  "too-slow",
  "internal-error",
];
const withBody: readonly ErrorCode[] = [
  "body-too-large",
  "body-timeout",
  "unsupported-media-type",
  "unsupported-encoding",
  "invalid-json",
  "invalid-payload",
];
const withKey: readonly ErrorCode[] = ["invalid-idempotency-key", "idempotency-mismatch", "outcome-unknown"];

export function describeApi(routes: readonly Route[]): Json {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas);
  const ours = Object.fromEntries(Object.entries(paths).map(([path, item]) => [`${apiPath}${path}`, item]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Rouse",
      version: "1",
      summary: "The front door for AI agents: its hooks and its admin API.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: "http://127.0.0.1:4665", description: "The default of `gateway.host` and `gateway.port`." },
    ],
    security: [{ gatewayToken: [] }, { gatewayTokenHeader: [] }],
    tags: [
      { name: "api", description: "The admin API." },
      { name: "hooks", description: "What callers send." },
    ],
    paths: { ...hookPaths(), ...ours },
    components: {
      securitySchemes,
      schemas: { ...hookSchemas(), ...schemas, Problem: problemSchema },
    },
  };
}

const securitySchemes = {
  gatewayToken: { type: "http", scheme: "bearer", description: "`gateway.auth.token`." },
  gatewayTokenHeader: { type: "apiKey", in: "header", name: "x-gateway-token" },
  hookToken: { type: "http", scheme: "bearer", description: "`hooks.token`, or one of `hooks.tokens`." },
};

function operationOf(route: Route, schemas: Record<string, unknown>): Json {
  const body = route.body as z.ZodType | null | undefined;
  return {
    operationId: route.id,
    summary: route.summary,
    tags: ["api"],
    parameters: [
      ...parametersOf(route.params, "path", schemas),
      ...parametersOf(route.query, "query", schemas),
      ...(route.method === "POST" && route.audited ? [idempotencyKey] : []),
      ...(route.refusals?.includes("precondition-required") ? [ifMatch] : []),
    ],
    ...(body && {
      requestBody: {
        required: route.bodyOptional !== true,
        content: { "application/json": { schema: schemaOf(body, "input", schemas) } },
      },
    }),
    responses: { ...answerOf(route.answer, schemas), ...refusalsOf(codesOf(route)) },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same key gives the first response, and nothing is done twice.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: true,
  description: "The `ETag` of the text that was changed.",
  schema: { type: "string" },
};

const codesOf = (route: Route): readonly ErrorCode[] => [
  ...everywhere,
  ...(route.body ? withBody : []),
  ...(route.method === "POST" && route.audited ? withKey : []),
  ...(route.refusals ?? []),
];

/** One response for each status, with every code that it may have. */
function refusalsOf(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => String(catalogue[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [
      status,
      {
        description: own.map((code) => `\`${code}\`: ${catalogue[code].text}`).join("\n\n"),
        content: {
          [problemType]: {
            schema: {
              allOf: [
                { $ref: "#/components/schemas/Problem" },
                { properties: { code: { enum: own }, type: { enum: own.map(typeOf) } } },
              ],
            },
          },
        },
      },
    ]),
  );
}

function answerOf(answer: Answer, schemas: Record<string, unknown>): Json {
  if ("type" in answer)
    return {
      200: { description: "As it is.", content: { [answer.type]: { schema: { type: "string" } } } },
      ...(answer.mayBeEmpty && { 204: { description: "There is nothing more." } }),
    };
  const headers = Object.fromEntries(
    (answer.headers ?? []).map((name) => [name, { schema: { type: "string" } }]),
  );
  return {
    [answer.status]: {
      description: "What was asked for.",
      ...(answer.headers && { headers }),
      content: { "application/json": { schema: schemaOf(answer.json, "output", schemas) } },
    },
  };
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: "path" | "query",
  schemas: Record<string, unknown>,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input", schemas) as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

/** Shapes with a name go to the components, and are referred to. */
export function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: Record<string, unknown>): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as Json & {
    $defs?: Readonly<Record<string, Json>>;
  };
  for (const [name, each] of Object.entries($defs)) schemas[name] = pointed(each);
  const { id } = rest as { id?: string };
  if (id === undefined) return pointed(rest);
  schemas[id] = pointed(rest);
  return { $ref: `#/components/schemas/${id}` };
}

function pointed(schema: Json): Json {
  const { id: _, ...rest } = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json & { id?: unknown };
  return rest;
}

const problemSchema = {
  type: "object",
  description: "Every error: the fields that the hooks' errors have, and those of RFC 9457.",
  required: ["ok", "code", "error", "type", "title", "status", "detail"],
  additionalProperties: false,
  properties: {
    ok: { const: false },
    code: { type: "string", description: "Stable, for programs." },
    error: { type: "string" },
    type: { type: "string", description: "Where docs/errors.md explains it." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    details: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        additionalProperties: false,
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

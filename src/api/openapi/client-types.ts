// Writes the types of `rouse/client` from the OpenAPI document, so that a client's shapes are those that the routes are
// checked by.

type Json = Readonly<Record<string, unknown>>;
type Schema = Json | boolean;

type Operation = {
  operationId: string;
  summary?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Readonly<Record<string, { schema?: Schema }>> };
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>>;
};

export type Description = {
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

const apiPath = "/api/v1";
const methods = ["get", "put", "post", "delete"] as const;

export function clientTypes({ paths, components }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation && path.startsWith(apiPath) ? [{ path, method, operation }] : [];
    }),
  );
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `${commentOf(schema)}export type ${name} = ${typeOf(schema)};`,
  );
  return [
    "// Made by `npm run generate` from the routes of the API. Do not edit.",
    "",
    "/** No fields at all. */",
    "export type Nothing = Readonly<Record<string, never>>;",
    "",
    ...shapes.flatMap((shape) => [shape, ""]),
    "/** Every call of the API: what it takes and what it answers. */",
    "export type Operations = {",
    ...operations.flatMap(({ operation }) => typesOf(operation)),
    "};",
    "",
    "/** The method and the path of every call. */",
    "export const operations = {",
    ...operations.map(
      ({ operation: { operationId }, method, path }) =>
        `  ${operationId}: [${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}],`,
    ),
    "} as const satisfies Readonly<Record<keyof Operations, readonly [string, string]>>;",
    "",
  ].join("\n");
}

function typesOf({ operationId, summary, parameters = [], requestBody, responses }: Operation): string[] {
  const within = (place: string): string => {
    const named = parameters.filter((each) => each.in === place);
    if (named.length === 0) return "Nothing";
    const fields = named.map(
      ({ name, required, schema }) =>
        `${keyOf(name)}${required ? "" : "?"}: ${parameterType(place, schema)};`,
    );
    return `{ ${fields.join(" ")} }`;
  };
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return [
    ...(summary ? [`  /** ${summary} */`] : []),
    `  ${operationId}: {`,
    `    path: ${within("path")};`,
    `    query: ${within("query")};`,
    `    body: ${body === undefined ? "undefined" : typeOf(body)};`,
    `    answer: ${answerOf(responses)};`,
    "  };",
  ];
}

/** Of a list in a query, one value may stand alone. */
function parameterType(place: string, schema: Schema = true): string {
  const written = typeOf(schema);
  const isList = typeof schema === "object" && schema["type"] === "array";
  return place === "query" && isList ? `${typeOf(schema["items"] as Schema)} | ${written}` : written;
}

/** What comes with the first 2xx. What is no JSON is a response as it is. */
function answerOf(responses: Operation["responses"]): string {
  const [, good] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const content = Object.entries(good?.content ?? {});
  const json = content.find(([type]) => type === "application/json")?.[1].schema;
  if (json !== undefined) return typeOf(json);
  return content.length === 0 ? "undefined" : "Response";
}

const commentOf = (schema: Schema): string => {
  const description = typeof schema === "object" ? schema["description"] : undefined;
  return typeof description === "string" ? `/** ${description} */\n` : "";
};

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema: Schema): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((each) => JSON.stringify(each)).join(" | ");
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (choices) return unique(choices.map(typeOf)).join(" | ");
  if (Array.isArray(allOf)) return (allOf as Schema[]).map((each) => `(${typeOf(each)})`).join(" & ");
  if (Array.isArray(type))
    return unique((type as string[]).map((each) => simpleType(each, schema))).join(" | ");
  return typeof type === "string" ? simpleType(type, schema) : "unknown";
}

function simpleType(type: string, schema: Json): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly (${typeOf((schema["items"] as Schema | undefined) ?? true)})[]`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType({ properties, required = [], additionalProperties }: Json): string {
  const needed = new Set(required as readonly string[]);
  const fields = Object.entries((properties ?? {}) as Record<string, Schema>).map(
    ([name, schema]) => `${keyOf(name)}${needed.has(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  if (fields.length > 0) return `{ ${fields.join(" ")} }`;
  const values = additionalProperties === undefined ? true : (additionalProperties as Schema);
  return values === false ? "Nothing" : `Readonly<Record<string, ${typeOf(values)}>>`;
}

const unique = (types: readonly string[]): string[] => [...new Set(types)];

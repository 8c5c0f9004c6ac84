// An MCP server's tools as the model's.
import { createHash } from "node:crypto";
import { dynamicTool, jsonSchema, type Tool } from "ai";
import { deepestNesting } from "../../core/json.ts";
import { clean } from "../../untrusted/clean.ts";
import { shorten } from "../../untrusted/shorten.ts";
import { execution, type Gate } from "./execution.ts";
import { callOf } from "./mcp-call.ts";
import type { McpConnection, McpDefinition } from "../../mcp/connect.ts";

/** `name` is the server's own. */
export type KeyedTool = { key: string; name: string; tool: Tool; changes: boolean };

const longestKey = 64;
const longestDescription = 4000;

/** `taken` holds the keys in use; the new keys are added to it. */
export function mcpTools(connection: McpConnection, gate: Gate, taken: Set<string>): KeyedTool[] {
  const names = new Set<string>();
  return connection.definitions.flatMap((definition) => {
    if (names.has(definition.name)) return [];
    names.add(definition.name);
    const key = keyOf(connection.name, definition.name, taken);
    taken.add(key);
    const changes = definition.annotations?.readOnlyHint !== true;
    const { name } = definition;
    return [{ key, name, tool: toolOf(connection, definition, gate, changes), changes }];
  });
}

/** Only characters that every model API accepts; a changed or repeated name gets a hash. */
export function keyOf(server: string, tool: string, taken: ReadonlySet<string>): string {
  const wanted = `${server.replace(":", "_")}__${tool}`;
  const key = wanted.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (key === wanted && key.length <= longestKey && !taken.has(key)) return key;
  const hash = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, 10);
  return `${key.slice(0, longestKey - hash.length - 1)}_${hash}`;
}

function toolOf(
  connection: McpConnection,
  { name, description, inputSchema }: McpDefinition,
  gate: Gate,
  changes: boolean,
): Tool {
  const schema = { ...cleanDescriptions(inputSchema), type: "object" } as Parameters<typeof jsonSchema>[0];
  return dynamicTool({
    ...(description !== undefined && { description: cleanDescription(description) }),
    inputSchema: jsonSchema(schema),
    execute: execution(callOf(connection, name), gate, changes),
  });
}

const cleanDescription = (text: string): string => shorten(clean(text), longestDescription, "…");

/**
 * Marks hidden characters and chat tokens in descriptions; names that the model sends back stay unchanged. What is
 * nested too deep for a model API to read becomes a schema that takes anything.
 */
export function cleanDescriptions<T>(schema: T, depth = 0): T {
  if (typeof schema !== "object" || schema === null) return schema;
  if (depth > deepestNesting) return {} as T;
  if (Array.isArray(schema)) return schema.map((each: unknown) => cleanDescriptions(each, depth + 1)) as T;
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => [
    key,
    key === "description" && typeof value === "string"
      ? cleanDescription(value)
      : cleanDescriptions(value, depth + 1),
  ]);
  return Object.fromEntries(entries) as T;
}

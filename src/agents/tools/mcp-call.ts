// One call of an MCP server's tool, and its result as text.
import { type CallToolResult, MCPClientError } from "@ai-sdk/mcp";
import { orStopped } from "../../core/abort.ts";
import { tooLargeIn } from "../../core/response-body.ts";
import { cut } from "../../core/text.ts";
import type { ToolResult, Work } from "./execution.ts";
import { Refusal } from "./fault.ts";
import type { McpConnection } from "../../mcp/connect.ts";

const longestReason = 2000;

export function callOf({ name: server, client, broken }: McpConnection, tool: string): Work<unknown> {
  // The tool's name is the server's own words; the model knows it by its key.
  const label = `MCP server ${server}`;
  return async (input, signal) => {
    try {
      const calling = client.callTool({ name: tool, arguments: argumentsOf(input), options: { signal } });
      // The library leaves a call waiting whose response broke off.
      const result = await orStopped(calling, broken);
      const isFault = result.isError === true;
      const says = isFault ? "The tool reported a fault." : "The tool answered.";
      return { says, label, outside: textOf(result), isFault };
    } catch (fault) {
      return refusalTo(fault, label);
    }
  };
}

function refusalTo(fault: unknown, label: string): ToolResult {
  const tooLarge = tooLargeIn(fault);
  if (tooLarge !== null) throw new Refusal(`The tool's server sent too much: ${tooLarge.message}.`);
  if (!MCPClientError.isInstance(fault)) throw new Refusal("The tool's server could not be reached.");
  // Only the server's own message; messages of the library may hold an address.
  if (fault.code !== undefined)
    return {
      says: "The tool's server refused the call.",
      label,
      outside: cut(fault.message, longestReason),
      isFault: true,
    };
  const status = fault.statusCode === undefined ? "" : ` It responded with HTTP ${fault.statusCode}.`;
  throw new Refusal(`The tool's server gave no response.${status}`);
}

const argumentsOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : {};

function textOf(result: CallToolResult): string {
  const { content, structuredContent } = result;
  if (Array.isArray(content) && content.length > 0) return content.map(partText).join("\n");
  return JSON.stringify(structuredContent ?? result.toolResult ?? "") ?? "";
}

type Part = Record<string, unknown> & { type?: unknown };

function partText(part: Part): string {
  const { type, text, data, mimeType, resource } = part;
  if (type === "text" && typeof text === "string") return text;
  if (typeof data === "string") return `[${String(type)} of type ${String(mimeType)}, left out]`;
  if (type !== "resource") return JSON.stringify(part);
  const { text: inner, uri } = resource as Part;
  return typeof inner === "string" ? inner : `[resource ${String(uri)}, left out]`;
}

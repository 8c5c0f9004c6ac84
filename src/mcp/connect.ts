// The tools of an MCP server. Everything it sends is outside text: the names of its tools, their descriptions and
// their results.
import { givenVariables } from "../core/variables.ts";
import { sharedEnvironment } from "../processes/environment.ts";
import { existsSync } from "node:fs";
import {
  createMCPClient,
  type ListToolsResult,
  type MCPClient,
  MCPClientError,
  type MCPTransport,
} from "@ai-sdk/mcp";
import type { McpServerConfig } from "../config/config.ts";
import { mcpPrefix } from "../core/tool.ts";
import { howItEnded, notStarted, withTail } from "../processes/failure.ts";
import { createMask } from "../processes/mask.ts";
import { codeOf } from "../core/errors.ts";
import { TooLarge, tooLargeIn } from "../core/response-body.ts";
import type { Reaper } from "../processes/reaper.ts";
import { onAbort, orStopped } from "../core/abort.ts";
import { ToolFault } from "./fault.ts";
import { mostDefinitionBytes } from "./limits.ts";
import { sessionFetch } from "./session-fetch.ts";
import { createStdioTransport, type StdioTransport } from "./stdio.ts";

export type McpOptions = {
  workspace: string;
  environment: NodeJS.ProcessEnv;
  reaper: Reaper;
  signal: AbortSignal;
  limitMs?: number;
  graceMs?: number;
};

export type McpDefinition = ListToolsResult["tools"][number];

export type McpConnection = {
  /** Our name of it: `mcp:NAME`. */
  name: string;
  client: MCPClient;
  definitions: readonly McpDefinition[];
  /** Fires when the server has sent too much and the session is over; its reason is a TooLarge. */
  broken: AbortSignal;
  close(): Promise<void>;
};

type Wire = {
  transport: Parameters<typeof createMCPClient>[0]["transport"];
  program: StdioTransport | null;
  broken: AbortSignal;
  close(): Promise<void>;
};

const mostPages = 50;

export async function connectMcp(
  server: string,
  config: McpServerConfig,
  options: McpOptions,
): Promise<McpConnection> {
  const { signal, limitMs = 10_000 } = options;
  const limit = AbortSignal.timeout(limitMs);
  const wire = config.kind === "http" ? httpWire(config) : programWire(config, options);
  const until = AbortSignal.any([signal, limit, wire.broken]);
  const release = onAbort(signal, () => void wire.close());
  const close = async () => {
    release();
    await wire.close();
  };
  try {
    const { client, definitions } = await orStopped(open(wire, until), until);
    return {
      name: mcpPrefix + server,
      client,
      definitions,
      broken: wire.broken,
      close: async () => void (await Promise.all([client.close(), close()])),
    };
  } catch (fault) {
    await close();
    if (signal.aborted) throw new ToolFault("it was stopped", true);
    const tooLarge = tooLargeIn(wire.broken.aborted ? wire.broken.reason : fault);
    if (tooLarge !== null)
      throw new ToolFault(`the MCP server ${server} sent too much: ${tooLarge.message}`, false);
    if (limit.aborted)
      throw new ToolFault(`the MCP server ${server} did not respond within ${limitMs / 1000} seconds`, true);
    throw faultOf(fault, server, config, wire.program);
  }
}

async function open(
  { transport }: Wire,
  signal: AbortSignal,
): Promise<Pick<McpConnection, "client" | "definitions">> {
  const client = await createMCPClient({ transport, clientName: "rouse", initializationOptions: { signal } });
  const definitions: McpDefinition[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const listed = await client.listTools({
      ...(cursor !== undefined && { params: { cursor } }),
      options: { signal },
    });
    bytes += Buffer.byteLength(JSON.stringify(listed.tools));
    if (bytes > mostDefinitionBytes) throw new TooLarge("the list of its tools", mostDefinitionBytes);
    for (const tool of listed.tools) definitions.push(tool);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return { client, definitions };
}

function httpWire({ url, headers }: Extract<McpServerConfig, { kind: "http" }>): Wire {
  const stop = new AbortController();
  const broken = new AbortController();
  const fetch = sessionFetch(AbortSignal.any([stop.signal, broken.signal]), (fault) => broken.abort(fault));
  return {
    transport: { type: "http", url, headers: { ...headers }, fetch },
    program: null,
    broken: broken.signal,
    close: async () => stop.abort(),
  };
}

function programWire(
  { command, args, env }: Extract<McpServerConfig, { kind: "command" }>,
  options: McpOptions,
): Wire {
  const { environment, workspace, reaper, graceMs = 2000 } = options;
  const shared = sharedEnvironment(env, environment);
  const program = createStdioTransport({
    command,
    args,
    // Not the workspace: what the agent may write there could change what the program does.
    folder: homeOf(shared),
    env: { ...shared, ROUSE_WORKSPACE: workspace },
    mask: createMask(givenVariables(env, environment)),
    reaper,
    graceMs,
  });
  let closed: Promise<void> | null = null;
  return {
    transport: program satisfies MCPTransport,
    program,
    broken: program.broken,
    close: () => (closed ??= program.close()),
  };
}

function homeOf({ HOME }: NodeJS.ProcessEnv): string {
  return HOME !== undefined && existsSync(HOME) ? HOME : "/";
}

function faultOf(
  fault: unknown,
  server: string,
  config: McpServerConfig,
  program: StdioTransport | null,
): ToolFault {
  const name = `the MCP server ${server}`;
  const end = program?.endedBy();
  if (end?.kind === "ended")
    return new ToolFault(withTail(`${name} ${howItEnded(end)}`, end.errorTail), true);
  const status = MCPClientError.isInstance(fault) ? fault.statusCode : undefined;
  if (status !== undefined && status >= 400) {
    const mayPass = status >= 500 || status === 408 || status === 425 || status === 429;
    return new ToolFault(`${name} responded with HTTP ${status}`, mayPass);
  }
  const code = end?.code ?? deepCode(fault);
  if (config.kind === "command" && code !== null) {
    const { reason, mayPass } = notStarted(config.command, code);
    return new ToolFault(`${name} could not be started: ${reason}`, mayPass);
  }
  if (MCPClientError.isInstance(fault) && code === null)
    return new ToolFault(`${name} does not respond as an MCP server does`, false);
  return new ToolFault(`${name} could not be reached${code === null ? "" : ` (${code})`}`, true);
}

/** The system's error code, which libraries wrap in causes. */
function deepCode(fault: unknown): string | null {
  for (let at = fault, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ("code" in at && typeof at.code === "string") return codeOf(at);
  return null;
}

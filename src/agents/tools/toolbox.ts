// The tools of one run: those it was granted, opened before it and closed after it.
import { mkdir, realpath } from "node:fs/promises";
import { tool, type Tool } from "ai";
import { z } from "zod";
import type { McpServerConfig } from "../../config/config.ts";
import { mcpPrefix } from "../../core/tool.ts";
import { codeOf } from "../../core/errors.ts";
import { createReaper } from "../../processes/reaper.ts";
import { execution, type Gate } from "./execution.ts";
import { ToolFault } from "../../mcp/fault.ts";
import { createFetch } from "./fetch.ts";
import { connectMcp, type McpConnection } from "../../mcp/connect.ts";
import { mcpTools } from "./mcp-tools.ts";
import { workspaceTools } from "./workspace.ts";

export type Toolbox = {
  tools: Record<string, Tool>;
  /** Keys of tools that may change something. */
  changes: ReadonlySet<string>;
  /** Our name ("write", "mcp:github") of a tool key. */
  nameOf(key: string): string;
  /** The same of a call: with the server's own name of the tool behind ("mcp:github/create_issue"). */
  callNameOf(key: string): string;
  /** Whether the call failed, although the model got a text for it. Asked once: some servers use an id again. */
  hasFailed(callId: string): boolean;
  /** Ends the servers that were started for it; never throws. */
  close(): Promise<void>;
};

export type ToolboxOptions = {
  granted: readonly string[];
  workspace: string;
  fetchHosts: readonly string[];
  mcp: Readonly<Record<string, McpServerConfig>>;
  signal: AbortSignal;
  /** Awaited before a tool that may change something runs; when it resolves to false the tool does not run. */
  onActing: () => Promise<boolean>;
  texts: Gate["texts"];
  environment?: NodeJS.ProcessEnv;
};

/** Throws a `ToolFault` when a granted tool is not available. */
export async function openToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { granted, fetchHosts, signal, onActing, texts } = options;
  const faults = new Set<string>();
  const gate: Gate = { signal, onActing, texts, onFault: (id) => void faults.add(id) };
  const root = await makeWorkspace(options.workspace);
  const own = { ...workspaceTools(root, gate), fetch: fetchTool(fetchHosts, gate) };
  const tools: Record<string, Tool> = {};
  for (const [name, each] of Object.entries(own)) if (granted.includes(name)) tools[name] = each;
  const changes = new Set<string>(granted.includes("write") ? ["write"] : []);
  const names = new Map<string, string>();
  const callNames = new Map<string, string>();
  const connections = await connectAll(options, root);
  for (const connection of connections) {
    for (const added of mcpTools(connection, gate, new Set(Object.keys(tools)))) {
      tools[added.key] = added.tool;
      names.set(added.key, connection.name);
      callNames.set(added.key, `${connection.name}/${added.name}`);
      if (added.changes) changes.add(added.key);
    }
  }
  return {
    tools,
    changes,
    nameOf: (key) => names.get(key) ?? key,
    callNameOf: (key) => callNames.get(key) ?? key,
    hasFailed: (callId) => faults.delete(callId),
    close: () => closeAll(connections),
  };
}

async function makeWorkspace(workspace: string): Promise<string> {
  try {
    await mkdir(workspace, { recursive: true });
    return await realpath(workspace);
  } catch (fault) {
    throw new ToolFault(`the workspace ${workspace} could not be made: ${codeOf(fault)}`, false);
  }
}

const fetchTool = (hosts: readonly string[], gate: Gate): Tool =>
  tool({
    description: `Gets a page of text or JSON from the web. Hosts that may be asked: ${hosts.join(", ") || "none"}.`,
    inputSchema: z.object({ url: z.string().max(4000).describe("The address, with https:// or http://.") }),
    execute: execution(createFetch({ hosts }), gate, false),
  });

async function connectAll(
  { granted, mcp, signal, environment = process.env }: ToolboxOptions,
  workspace: string,
): Promise<McpConnection[]> {
  const servers = granted.flatMap((name) =>
    name.startsWith(mcpPrefix) ? [name.slice(mcpPrefix.length)] : [],
  );
  const reaper = createReaper();
  const settled = await Promise.allSettled(
    [...new Set(servers)].map(async (server) => {
      const config = Object.hasOwn(mcp, server) ? mcp[server] : undefined;
      if (!config) throw new ToolFault(`there is no mcp.servers.${server} in the config`, false);
      return connectMcp(server, config, { workspace, environment, reaper, signal });
    }),
  );
  const connections = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = settled.find((each) => each.status === "rejected");
  if (!failed) return connections;
  await closeAll(connections);
  throw failed.reason;
}

async function closeAll(connections: readonly McpConnection[]): Promise<void> {
  await Promise.allSettled(connections.map((connection) => connection.close()));
}

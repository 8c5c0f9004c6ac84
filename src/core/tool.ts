// The names of tools, and which of an agent's tools a hook's run may use.

/** `mcp:NAME` stands for all tools of that MCP server. */
export const builtInTools = ["read", "list", "search", "write", "fetch"] as const;
export const readOnlyTools: readonly string[] = ["read", "list", "search"];
export const mcpPrefix = "mcp:";

/** Names of tools, or all that the agent has. */
export type ToolGrant = readonly string[] | "agent";

export const isToolName = (name: string): boolean =>
  builtInTools.some((each) => each === name) || /^mcp:[A-Za-z0-9_-]{1,64}$/.test(name);

/** Of its agent's tools, a hook's run may use those that only read and those that were granted by name. */
export const grantedTools = (agentTools: readonly string[], grant: ToolGrant): readonly string[] =>
  grant === "agent"
    ? agentTools
    : agentTools.filter((tool) => readOnlyTools.includes(tool) || grant.includes(tool));

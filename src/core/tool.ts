// Tools an agent may be given, by name, and how few of them a hook's run gets.

/** `mcp:NAME` stands for all tools of that MCP server. */
export const builtInTools = ["read", "list", "search", "write", "fetch"] as const;
export const readOnlyTools: readonly string[] = ["read", "list", "search"];
export const mcpPrefix = "mcp:";

/** Tools named one by one, or all that the agent has. */
export type ToolGrant = readonly string[] | "agent";

export const isToolName = (name: string): boolean =>
  builtInTools.some((each) => each === name) || /^mcp:[A-Za-z0-9_-]{1,64}$/.test(name);

/** What a hook's run may use: to read, and what was granted by name; never more than its agent has. */
export const grantedTools = (agentTools: readonly string[], grant: ToolGrant): readonly string[] =>
  grant === "agent"
    ? agentTools
    : agentTools.filter((tool) => readOnlyTools.includes(tool) || grant.includes(tool));

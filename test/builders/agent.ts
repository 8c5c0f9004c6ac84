// What every agent's configuration has, whatever its kind.

export const agentSettings = {
  id: "main",
  default: true,
  workspace: "/nowhere",
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: null,
  thinking: null,
};

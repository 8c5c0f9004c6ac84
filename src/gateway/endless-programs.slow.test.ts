// What a program writes without end, we do not take: it is ended, and the reason says the limit. The runs resolve only
// when the program is gone.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { agentSettings } from "../../test/builders/agent.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { createAcpAgent } from "../agents/acp/acp.ts";
import { contractInput } from "../agents/agent.contract.ts";
import { type CommandConfig, createCommandAgent } from "../agents/command/command.ts";
import { createImessage } from "../channels/imessage.ts";
import { connectMcp } from "../mcp/connect.ts";
import { createReaper } from "../processes/reaper.ts";

const never = new AbortController().signal;
const workspace = makeFolder("endless");
const program = fileURLToPath(new URL("../../test/fixtures/endless-program.ts", import.meta.url));
const settings = { ...agentSettings, workspace, env: [] };

// A program must be allowed to run from here, which memory file systems may forbid.
const programs = mkdtempSync(join(tmpdir(), "rouse-endless-"));
after(() => rmSync(programs, { recursive: true, force: true }));
let made = 0;

function makeScript(script: string): string {
  const file = join(programs, String(made++));
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

const reasonOf = (outcome: object): string => ("reason" in outcome ? String(outcome.reason) : "none");

async function commandAgent(script: string, preset: CommandConfig["preset"] = null): Promise<string> {
  const config = {
    kind: "command",
    ...settings,
    preset,
    input: "prompt",
    args: [],
    outputLimitBytes: 1_000_000,
  } as const;
  // A preset gives options, which this program has no use for.
  const [command, args] = preset === null ? ["/bin/sh", ["-c", script]] : [makeScript(script), []];
  const agent = createCommandAgent({ ...config, command, args }, { graceMs: 100 });
  return reasonOf(await agent.run(contractInput(), never));
}

async function acpAgent(flood: string): Promise<string> {
  const config = {
    kind: "acp",
    ...settings,
    command: process.execPath,
    args: [program, flood],
    allow: [],
  } as const;
  return reasonOf(await createAcpAgent(config, { graceMs: 100 }).run(contractInput(), never));
}

async function mcpServer(flood: string): Promise<string> {
  const config = { kind: "command", command: process.execPath, args: [program, flood], env: [] } as const;
  const options = { signal: never, limitMs: 60_000, environment: process.env, workspace, graceMs: 100 };
  return connectMcp("near", config, { ...options, reaper: createReaper() }).then(() => "none", String);
}

async function imsg(script: string): Promise<string> {
  const channel = createImessage({ command: ["/bin/sh", "-c", script] }, { fetch }, { graceMs: 100 });
  return reasonOf(await channel.send({ id: "1", to: "+15550001111", text: "x" }, never));
}

const oneLine = "tr '\\0' x </dev/zero";
const repeating = (line: object): string => `yes '${JSON.stringify(line)}'`;
const counting = (line: object): string =>
  `awk 'BEGIN { for (n = 0; ; n++) print "${JSON.stringify(line).replaceAll('"', '\\"').replaceAll("NUMBER", '" n "')}" }'`;
const delta = { type: "message", role: "assistant", content: "x".repeat(1000), delta: true };
const call = { type: "tool_use", tool_name: "read_file", tool_id: "NUMBER" };

const endless: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
  ["a command agent's output", () => commandAgent("yes"), /wrote more than 1000000 bytes/],
  ["a command agent's one line", () => commandAgent(oneLine), /wrote more than 1000000 bytes/],
  ["a preset's line", () => commandAgent(oneLine, "claude"), /a line of more than 16777216 bytes/],
  ["a preset's reply", () => commandAgent(repeating(delta), "gemini"), /wrote more than 1000000 bytes/],
  [
    "a preset's calls of tools",
    () => commandAgent(counting(call), "gemini"),
    /more than 5000 calls of tools/,
  ],
  ["an ACP agent's line", () => acpAgent("line"), /a message of it has more than 16777216 bytes/],
  ["an ACP agent's reply", () => acpAgent("replies"), /reply has more than 1048576 characters/],
  ["an ACP agent's calls of tools", () => acpAgent("calls"), /more than 5000 calls of tools/],
  ["an ACP agent's requests", () => acpAgent("requests"), /more than 1000 requests/],
  ["an MCP server's line", () => mcpServer("line"), /a line of its output has more than 16000000 bytes/],
  ["an MCP server's tools", () => mcpServer("tools"), /the list of its tools has more than 4000000 bytes/],
  [
    "an MCP server's requests",
    () => mcpServer("pings"),
    /it was sent and has not read has more than 4000000/,
  ],
  ["imsg's output", () => imsg("yes"), /wrote more than 4194304 bytes/],
  ["imsg's one line", () => imsg(oneLine), /wrote more than 4194304 bytes/],
];

suite("what a program writes without end is not taken", { concurrency: 2 }, () => {
  for (const [name, run, reason] of endless)
    test(name, { timeout: 60_000 }, async () => assert.match(await run(), reason));
});

test("of a long standard error only the end is kept", { timeout: 60_000 }, async () => {
  const reason = await commandAgent("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo why >&2; exit 3");
  assert.match(reason, /^the command ended with exit code 3: x+why$/);
  assert.ok(reason.length < 600);
});

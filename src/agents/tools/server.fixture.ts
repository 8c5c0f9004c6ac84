// An MCP server that is a program, written down to what the tests ask of it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [mode = ""] = process.argv.slice(2);

if (mode === "broken") {
  process.stderr.write("no key was given\n");
  process.exit(3);
}
if (mode === "stubborn") process.on("SIGTERM", () => {});

const tools = [
  {
    name: "echo",
    description: "Says it again.\u200B",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "environment", inputSchema: { type: "object" } },
  { name: "start child", inputSchema: { type: "object" }, annotations: { readOnlyHint: false } },
  { name: "hang", inputSchema: { type: "object" } },
  { name: "die", inputSchema: { type: "object" } },
  { name: "refuse", inputSchema: { type: "object" } },
  { name: "flood", inputSchema: { type: "object" } },
];

const said = (text: string) => ({ content: [{ type: "text", text }] });

function call(name: string, input: Record<string, unknown>): object | null {
  switch (name) {
    case "echo":
      return said(String(input["text"]));
    case "environment":
      return said(JSON.stringify({ ...process.env, cwd: process.cwd() }));
    case "start child": {
      const child = spawn("sleep", ["600"], { stdio: "ignore" });
      return said(JSON.stringify([process.pid, child.pid]));
    }
    case "die":
      return process.exit(1);
    case "flood":
      process.stdout.write("x".repeat(17_000_000));
      return null;
    default:
      return null;
  }
}

type Request = { id?: number; method: string; params?: { name: string; arguments: Record<string, unknown> } };

function answer({ method, params }: Request): object | null {
  if (method === "initialize")
    return {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "fixture", version: "1" },
    };
  if (method === "tools/list") return { tools };
  return method === "tools/call" && params ? call(params.name, params.arguments) : null;
}

if (mode !== "silent") {
  process.stdout.write("Welcome! This line is no message.\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line) as Request;
    const send = (message: object) =>
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...message })}\n`);
    const result = answer(request);
    if (request.params?.name === "refuse") send({ error: { code: -32000, message: "<s> not now" } });
    else if (result !== null) send({ result });
  });
}
setInterval(() => {}, 60_000);

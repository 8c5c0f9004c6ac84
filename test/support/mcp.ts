// An agent's side of `rouse mcp`: the real command as a child process, and the protocol's own client. Each answer is
// searched for secrets, and for outside text that is not inside of a block.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parseFences } from "../../src/untrusted/fence.ts";
import { program } from "./process.ts";

type Fields = Record<string, unknown>;
type Block = { label: string; block: string; note: string | null };
export type Answer = {
  isError: boolean;
  /** As a model reads it. */
  text: string;
  fields: Fields & { outside: Block[]; notes: string[]; says: string };
};

export type Agent = {
  call(name: string, args?: Fields): Promise<Answer>;
  /** The same, which is no error. */
  ok(name: string, args?: Fields): Promise<Answer>;
  tools: Awaited<ReturnType<Client["listTools"]>>["tools"];
  instructions: string;
  errors(): string;
  close(): Promise<void>;
};

/** What every text from outside contains in these tests. */
export const mark = "OUTSIDE-WORDS";

export type AgentOptions = {
  args: readonly string[];
  env?: Record<string, string>;
  secrets: readonly string[];
  /** Replaces this checkout's. */
  program?: string;
};

export async function startAgent(
  t: TestContext,
  { args, env = {}, secrets, program: file = program }: AgentOptions,
): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [file, "mcp", ...args],
    env,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const client = new Client({ name: "test", version: "1" });
  t.after(() => client.close());
  await client.connect(transport);
  const { tools } = await client.listTools();

  async function call(name: string, given: Fields = {}): Promise<Answer> {
    const result = await client.callTool({ name, arguments: given });
    const written = JSON.stringify(result);
    for (const secret of secrets) assert.ok(!written.includes(secret), `${name} shows ${secret}`);
    const [first] = result.content as { type: string; text: string }[];
    const text = first?.text ?? "";
    const fields = (result.structuredContent ?? {}) as Answer["fields"];
    checkFences(name, text, fields);
    return { isError: result.isError === true, text, fields };
  }

  return {
    call,
    async ok(name, given) {
      const answer = await call(name, given);
      assert.equal(answer.isError, false, `${name}: ${answer.text}`);
      return answer;
    },
    tools,
    instructions: client.getInstructions() ?? "",
    errors: () => errors,
    close: () => client.close(),
  };
}

/** What is left of a text without its blocks. */
function withoutBlocks(text: string): string {
  let left = text;
  for (const { fenceId, id, label, text: inside } of parseFences(text)) {
    const lines = inside.split("\n").map((line) => `| ${line}`);
    left = left.replace(
      [`[begin ${fenceId} ${id} ${label}]`, ...lines, `[end ${fenceId} ${id}]`].join("\n"),
      () => "",
    );
  }
  return left;
}

function checkFences(name: string, text: string, fields: Fields): void {
  const check = (found: unknown): void => {
    if (typeof found === "string")
      assert.ok(!withoutBlocks(found).includes(mark), `${name} has outside text in the open: ${found}`);
    else if (typeof found === "object" && found !== null)
      for (const [key, value] of Object.entries(found)) {
        check(key);
        check(value);
      }
  };
  check(text);
  check(fields);
}

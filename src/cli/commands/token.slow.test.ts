// `rouse token` in processes of its own, several at once.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../config/load.ts";
import { createConfig, hookToken } from "../../../test/fixtures/command-line.ts";

const bin = fileURLToPath(new URL("../../../bin/rouse.mjs", import.meta.url));

async function rotate(folder: string): Promise<string> {
  const env = { ...process.env, ROUSE_HOME: folder };
  const child = spawn(process.execPath, [bin, "token", "rotate"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => void (written.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (written.stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  assert.equal(code, 0, written.stderr);
  return written.stdout.trim();
}

test("every token that rotations at the same time print is in the file", { timeout: 120_000 }, async (t) => {
  const { folder, file } = createConfig(t);
  const printed: string[] = [];
  for (let round = 0; round < 3; round++)
    printed.push(...(await Promise.all(Array.from({ length: 4 }, () => rotate(folder)))));
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok);
  assert.deepEqual(loaded.config.hooks.tokens.toSorted(), [...printed, hookToken].toSorted());
});

// A failing test must fail the run: without that, no other test here counts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "./support/folder.ts";

const setup = fileURLToPath(new URL("support/setup.ts", import.meta.url));

test("a failing test ends the run with exit code 1, a passing one with 0", (t) => {
  const folder = makeFolder("exit-code");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const codeOf = (name: string, assertion: string) => {
    const file = join(folder, `${name}.test.mjs`);
    writeFileSync(file, `import test from "node:test"; test("x", () => { ${assertion} });`);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ["--test", `--test-global-setup=${setup}`, file];
    return spawnSync(process.execPath, args, { env, stdio: "ignore" }).status;
  };
  assert.equal(codeOf("failing", 'throw new Error("on purpose")'), 1);
  assert.equal(codeOf("passing", ""), 0);
});

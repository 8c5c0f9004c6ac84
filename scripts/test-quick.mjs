// Runs the quick tests: those of src/ that need neither PostgreSQL nor a child process and take less than two seconds.
// A file of its own process costs more than most of these files, so a few processes share them, and properties are
// tried with fewer cases.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";

const processes = 2;
const files = globSync("src/**/*.test.ts", { exclude: ["**/*.slow.test.ts"] }).toSorted();

async function run(part) {
  const options = [
    "--test-timeout=30000",
    "--test-isolation=none",
    "--import=./test/support/quick.ts",
    "--test-reporter=dot",
  ];
  const child = spawn(process.execPath, ["--test", ...options, ...part], {
    stdio: "inherit",
    env: { NODE_COMPILE_CACHE: "node_modules/.cache/compile", ROUSE_FUZZ_CASES: "0.1", ...process.env },
  });
  const [code] = await once(child, "exit");
  return code === 0;
}

const parts = Array.from({ length: processes }, (_, at) =>
  files.filter((_file, index) => index % processes === at),
);
const passed = await Promise.all(parts.map(run));
process.exit(passed.every(Boolean) ? 0 : 1);

// Runs every test. A failed file fails the run. Only files of test/system, where real processes compete for the machine, are run once more, after
// the others, and are then reported as unsteady.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const all = ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts"];
const shownSlowest = 10;

/** The last of the options is the reporter for people: reporters and destinations are paired in their order. */
function run(files, options) {
  const folder = mkdtempSync(join(tmpdir(), "rouse-test-"));
  const report = join(folder, "report");
  const { status } = spawnSync(
    process.execPath,
    [
      "--test",
      "--test-timeout=240000",
      ...options,
      "--test-reporter-destination=stdout",
      "--test-reporter=./scripts/files-reporter.mjs",
      `--test-reporter-destination=${report}`,
      ...files,
    ],
    { stdio: "inherit", env: { NODE_COMPILE_CACHE: "node_modules/.cache/compile", ...process.env } },
  );
  const lines = readFileSync(report, "utf8").split("\n").filter(Boolean);
  rmSync(folder, { recursive: true });
  const ran = lines.map((line) => JSON.parse(line));
  for (const each of ran) each.file = relative(".", each.file);
  const failed = [...new Set(ran.filter(({ passed }) => !passed).map(({ file }) => file))];
  return { passed: status === 0, failed, ran };
}

function showSlowest(ran) {
  console.log("\nThe slowest files:");
  const slowest = ran.toSorted((one, other) => other.ms - one.ms).slice(0, shownSlowest);
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
}

function runAll() {
  const setUp = ["--test-global-setup=test/support/setup.ts", "--test-reporter=spec"];
  const first = run(all, ["--test-concurrency=2", ...setUp]);
  showSlowest(first.ran);
  const mayRunAgain = (file) => file.startsWith("test/system/");
  if (first.passed) return true;
  if (first.failed.length === 0 || !first.failed.every(mayRunAgain)) return false;
  console.log(`\nFailed, and run once more:\n${first.failed.join("\n")}\n`);
  const second = run(first.failed, ["--test-concurrency=1", ...setUp]);
  if (second.passed) console.log(`\nUNSTEADY: failed once, then passed:\n${first.failed.join("\n")}`);
  return second.passed;
}

process.exit(runAll() ? 0 : 1);

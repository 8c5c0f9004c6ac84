// The end of a program, by a signal or with the gateway.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import {
  acpAgent,
  acpConfig,
  acpProgram,
  folder,
  replied,
  run,
  stopped,
} from "../../../test/fixtures/acp-runs.ts";
import { isAlive } from "../../../test/support/process.ts";
import { contractInput } from "../agent.contract.ts";
import { createAcpAgent } from "./acp.ts";

const processesIn = (file: string): number[] => readFileSync(file, "utf8").trim().split(" ").map(Number);

test("a stopped agent that cancels is gone with its program", async () => {
  const file = join(folder, "cancelling");
  const stop = new AbortController();
  const outcome = acpAgent("endless", file).run(contractInput(), stop.signal);
  await eventually(() => existsSync(file), "the turn");
  stop.abort();
  assert.deepEqual(await outcome, stopped);
  assert.ok(!processesIn(file).some(isAlive));
});

test("an agent that ignores the stop is killed with its children", async () => {
  const file = join(folder, "deaf");
  const stop = new AbortController();
  const agent = createAcpAgent({ ...acpConfig, args: [acpProgram, "deaf", file] });
  const outcome = agent.run(contractInput(), stop.signal);
  await eventually(() => existsSync(file), "the turn");
  const processes = processesIn(file);
  assert.equal(processes.filter(isAlive).length, 2);
  stop.abort();
  assert.deepEqual(await outcome, stopped);
  await eventually(() => !processes.some(isAlive), "the end of every process");
});

test("no process is left after the run", async () => {
  const file = join(folder, "leaving");
  assert.deepEqual(await run("leaving", file), replied("Done."));
  const processes = processesIn(file);
  assert.equal(processes.length, 2);
  await eventually(() => !processes.some(isAlive), "the end of every process");
});

test("a gateway that is killed leaves nothing running", async () => {
  const file = join(folder, "orphan");
  const config = JSON.stringify({ ...acpConfig, args: [acpProgram, "deaf", file] });
  const input = JSON.stringify(contractInput());
  const script = `import { createAcpAgent } from ${JSON.stringify(join(import.meta.dirname, "acp.ts"))};
    await createAcpAgent(${config}).run(${input}, new AbortController().signal);`;
  const gateway = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
  await eventually(() => existsSync(file), "the turn");
  const processes = processesIn(file);
  assert.equal(processes.filter(isAlive).length, 2);
  gateway.kill("SIGKILL");
  await eventually(() => !processes.some(isAlive), "the end of every process");
});

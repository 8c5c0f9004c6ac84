import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/fakes/clock.ts";
import { isAlive } from "../../test/support/process.ts";
import { linesOf } from "./lines.ts";
import { type Program, type ProgramOptions, startProgram } from "./program.ts";

/** A reaper that only records its calls. */
function createNotes() {
  const notes: string[] = [];
  const hold = () => {
    notes.push("hold");
    return { add: (group: number) => notes.push(`add ${group}`), release: () => notes.push("release") };
  };
  return { notes, reaper: { hold } };
}

function start(script: string, more: Partial<ProgramOptions> = {}) {
  const { notes, reaper } = createNotes();
  const env = { PATH: process.env["PATH"] ?? "" };
  const options = { command: "/bin/sh", args: ["-c", script], env, graceMs: 100, reaper, ...more };
  return { program: startProgram(options), notes };
}

/** The processes whose numbers the script prints first. */
async function processesOf({ output }: Program): Promise<number[]> {
  const lines = linesOf(output as AsyncIterable<Buffer>, 1000, () => {});
  const { value = "" } = await lines.next();
  return value.split(" ").map(Number);
}

const outcome = { kind: "ended", exitCode: null, by: null, forced: false, errorTail: "" } as const;

test("a program that ends by itself: its exit code and the end of its standard error", async () => {
  const { program, notes } = start("echo last words >&2; exit 3");
  await program.started;
  assert.deepEqual(await program.ended, { ...outcome, exitCode: 3, errorTail: "last words\n" });
  assert.equal(notes.length, 3);
  assert.match(notes.join(), /^hold,add \d+,release$/);
});

test("a program that cannot be started has ended, and nothing is held", async () => {
  const { program, notes } = start("", { command: "/no/such/program" });
  await program.started;
  assert.deepEqual(await program.ended, { kind: "not-started", code: "ENOENT" });
  assert.deepEqual(notes, ["hold", "release"]);
  program.stop();
  program.kill();
  assert.equal((await program.leave(0)).kind, "not-started");
});

test("a start that the system refuses at once throws, and nothing is held", () => {
  const { notes, reaper } = createNotes();
  assert.throws(() => start("a\u0000b", { reaper }));
  assert.deepEqual(notes, ["hold", "release"]);
});

test("processes that a program leaves are killed, unless they may stay", async () => {
  const script = "sleep 600 >/dev/null 2>&1 & echo $!";
  const { program } = start(script);
  const [left = 0] = await processesOf(program);
  await program.ended;
  await eventually(() => !isAlive(left), "the end of what it left");

  const { program: other } = start(script, { keepsLeftovers: true });
  const [kept = 0] = await processesOf(other);
  assert.deepEqual(await other.ended, { ...outcome, exitCode: 0 });
  assert.ok(isAlive(kept));
  other.kill();
  await eventually(() => !isAlive(kept), "the end of what it kept");
});

test("output that a child holds open does not delay the end", async () => {
  const { program } = start("sleep 600 & echo $$ $!", { keepsLeftovers: true });
  const [, left = 0] = await processesOf(program);
  assert.deepEqual(await program.ended, { ...outcome, exitCode: 0 });
  program.kill();
  await eventually(() => !isAlive(left), "the end of what it left");
});

for (const [what, trap, by] of [
  ["", "", "SIGTERM"],
  [" that ignores SIGTERM", "trap '' TERM; ", "SIGKILL"],
] as const)
  test(`a stopped program${what} is gone with its children`, async () => {
    const { program, notes } = start(`${trap}sleep 600 & echo $$ $!; wait; sleep 600`);
    const processes = await processesOf(program);
    assert.ok(processes.length === 2 && processes.every(isAlive));
    program.stop();
    assert.deepEqual(await program.ended, { ...outcome, by, forced: true });
    await eventually(() => !processes.some(isAlive), "the end of every process");
    assert.equal(notes.at(-1), "release");
  });

test("a program whose input is closed may leave; one that stays is stopped", async () => {
  const leaving = await start("cat").program.leave(20_000);
  assert.deepEqual(leaving, { ...outcome, exitCode: 0 });
  const staying = await start("sleep 600").program.leave(1);
  assert.deepEqual(staying, { ...outcome, by: "SIGTERM", forced: true });
});

// One request to a program, as a line on its standard input, and its reply, as a line on its standard output. Nothing
// of the program is left afterwards.
import { onAbort } from "../core/abort.ts";
import { codeOf } from "../core/errors.ts";
import { sharedEnvironment } from "./environment.ts";
import { readLines } from "./lines.ts";
import { type Program, type ProgramOptions, startProgram } from "./program.ts";

export type Question<T> = Pick<ProgramOptions, "command" | "args" | "reaper" | "graceMs"> & {
  line: string;
  /** Null for a line that is not the reply: programs print to standard output what belongs elsewhere. */
  readLine: (line: string) => T | null;
  timeoutMs: number;
};

export type AskOutcome<T> =
  | { kind: "replied"; reply: T }
  | { kind: "not-started"; code: string }
  | { kind: "ended"; exitCode: number | null; errorTail: string }
  | { kind: "stopped" }
  | { kind: "late" }
  | { kind: "too-much-output"; mostBytes: number };

/** The reply is one short line; a longer one is passed over. */
const longestLineBytes = 1_048_576;
const mostBytes = 4_194_304;
/** The variables that ssh needs, beside those that every program gets. */
const sshNames = ["LOGNAME", "SSH_AUTH_SOCK"];

export async function askProgram<T>(question: Question<T>, signal: AbortSignal): Promise<AskOutcome<T>> {
  let program: Program;
  try {
    const env = sharedEnvironment(sshNames, process.env);
    program = startProgram({ ...question, env, keepsLeftovers: true });
  } catch (fault) {
    return { kind: "not-started", code: codeOf(fault) };
  }
  const outcome = await firstOutcome(program, question, signal);
  program.input.end();
  program.stop();
  await program.ended;
  program.kill();
  return outcome;
}

function firstOutcome<T>(
  { input, output, ended }: Program,
  { line, readLine, timeoutMs }: Question<T>,
  signal: AbortSignal,
): Promise<AskOutcome<T>> {
  const { promise, resolve } = Promise.withResolvers<AskOutcome<T>>();
  const timer = setTimeout(() => resolve({ kind: "late" }), timeoutMs);
  const release = onAbort(signal, () => resolve({ kind: "stopped" }));
  readLines(output, longestLineBytes, {
    onLine(written) {
      const reply = readLine(written);
      if (reply !== null) resolve({ kind: "replied", reply });
    },
    onTooLong: () => {},
  });
  let bytes = 0;
  output.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) resolve({ kind: "too-much-output", mostBytes });
  });
  void ended.then(resolve);
  input.write(`${line}\n`);
  return promise.finally(() => {
    clearTimeout(timer);
    release();
  });
}

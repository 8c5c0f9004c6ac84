// A program that is given all its input at once and whose output is its reply.
import { onAbort } from "../core/abort.ts";
import { codeOf } from "../core/errors.ts";
import { type Program, type ProgramOptions, startProgram } from "./program.ts";

export type ProcessOptions = Omit<ProgramOptions, "keepsLeftovers"> & {
  input: string;
  outputLimitBytes: number;
  /** Takes the output, all of it, which is then not kept here. */
  onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Hears of the output that is kept. */
  onKept?: ((chunk: Buffer) => void) | undefined;
};

export type ProcessEnd =
  | { kind: "exited"; exitCode: number; output: string; errorTail: string }
  | { kind: "killed"; by: string; errorTail: string }
  | { kind: "too-much-output" }
  | { kind: "stopped" }
  | { kind: "not-started"; code: string };

export async function runProcess(options: ProcessOptions, signal: AbortSignal): Promise<ProcessEnd> {
  let program: Program;
  try {
    program = startProgram({ ...options, keepsLeftovers: true });
  } catch (fault) {
    return { kind: "not-started", code: codeOf(fault) };
  }
  let reason: "too-much-output" | "stopped" | null = null;
  const output = collect(program, options, () => {
    reason ??= "too-much-output";
    program.kill();
  });
  program.input.end(options.input);
  const release = onAbort(signal, () => {
    reason ??= "stopped";
    program.stop();
  });
  const end = await program.ended;
  release();
  if (reason !== null) return { kind: reason };
  if (end.kind === "not-started") return end;
  const { exitCode, by, errorTail } = end;
  if (exitCode === null) return { kind: "killed", by: by ?? "a signal", errorTail };
  return { kind: "exited", exitCode, output: output(), errorTail };
}

function collect(
  { output }: Program,
  { onOutput, onKept, outputLimitBytes }: ProcessOptions,
  onTooMuch: () => void,
): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  output.on("data", (chunk: Buffer) => {
    if (onOutput) return onOutput(chunk);
    bytes += chunk.length;
    if (bytes > outputLimitBytes) return onTooMuch();
    chunks.push(chunk);
    onKept?.(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

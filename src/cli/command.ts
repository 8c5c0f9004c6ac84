// What a command is, and all that it gets from the process around it: plain values, so that tests can call it.
import type { Clock } from "../core/clock.ts";

export type Writer = { write(text: string): void };

export type Context = {
  /** What follows the command's name. */
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  stdout: Writer;
  stderr: Writer;
  /** Whether standard output is one; `columns` is its width. */
  isTerminal: boolean;
  columns: number | null;
  errorIsTerminal: boolean;
  /** All of standard input. */
  readInput(): Promise<string>;
  clock: Clock;
  /** Called for each request to stop: SIGTERM, SIGINT. */
  onStopSignal(listener: () => void): void;
  /** From here on the work matters, not who reads the output. */
  outliveOutput(): void;
  /** Ends the process at once. */
  exit(code: number): void;
};

export type Command = {
  name: string;
  /** A few words for the list of commands. */
  summary: string;
  /** Up to the first blank line the usage; then what it does, the options, examples. */
  help: string;
  /** Answers the exit code. `UsageError` and `WrongUsage` are for people, anything else is a fault. */
  run(context: Context): Promise<number>;
};

/** The command line itself is wrong: shown with the command's usage, exit code 2. */
export class WrongUsage extends Error {
  override name = "WrongUsage";
}

export const usageOf = ({ help }: Command): string => help.split("\n\n", 1)[0] ?? "";

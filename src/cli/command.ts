// A command, and everything it gets from the process, as plain values that tests can pass.
import type { Clock } from "../core/clock.ts";
import type { Config } from "../config/config.ts";

/** Bytes are written as they are. */
export type Writer = { write(text: string | Uint8Array): void };

/** `subject`: ids, names, a filter; never a payload or a secret. `store`: where the audit is. */
export type Write = { verb: string; subject: string; store: Config["store"] };

export type Context = {
  /** The arguments after the command's name. */
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Where relative paths in the arguments start. */
  folder: string;
  stdout: Writer;
  stderr: Writer;
  /** Whether standard output is a terminal; `columns` is its width. */
  isTerminal: boolean;
  columns: number | null;
  errorIsTerminal: boolean;
  /** All of standard input. */
  readInput(): Promise<string>;
  clock: Clock;
  /** Called for each request to stop: SIGTERM, SIGINT. */
  onStopSignal(listener: () => void): void;
  /** Says what the command is about to change, for the audit. */
  audit(write: Write): void;
  /** From now on the command keeps running when its output is closed. */
  outliveOutput(): void;
  /** Ends the process at once. */
  exit(code: number): void;
};

/**
 * `multiple`: the option may be given several times. `file`: its value is a path, and is made absolute. `values`: what
 * the shell proposes, where the values are a fixed set.
 */
export type Flag = {
  type: "string" | "boolean";
  multiple?: true;
  file?: true;
  values?: readonly string[];
};
export type Flags = Readonly<Record<string, Flag>>;

/** What the shell proposes: options, and words that may come next, with what may follow them. */
export type Syntax = { options: Flags; words?: Readonly<Record<string, Syntax>> };

export type Command = {
  name: string;
  /** A few words for the list of commands. */
  summary: string;
  /** The usage up to the first blank line; then what it does, its options, examples. */
  help: string;
  syntax: Syntax;
  /** Resolves to the exit code. `UsageError` and `WrongUsage` carry messages for people; anything else is a fault. */
  run(context: Context): Promise<number>;
};

/** The command line itself is wrong: shown with the command's usage, exit code 2. */
export class WrongUsage extends Error {
  override name = "WrongUsage";
}

/** Words of a fixed set after which no other word comes. */
export const oneOf = (words: readonly string[], options: Flags): NonNullable<Syntax["words"]> =>
  Object.fromEntries(words.map((word) => [word, { options }]));

export const usageOf = ({ help }: Command): string => help.split("\n\n", 1)[0] ?? "";

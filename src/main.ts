// argv in, exit code out: the process itself, handed to the command line as plain values.
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Context } from "./cli/command.ts";
import { dispatch } from "./cli/dispatch.ts";
import { folderOfUser } from "./cli/terminal/folder.ts";
import { systemClock } from "./core/clock.ts";

const checkout = fileURLToPath(new URL("..", import.meta.url));

/** What is started from here must not take npm's note for its own. */
function takeFolder(): string {
  const folder = folderOfUser(process.env, process.cwd(), checkout);
  delete process.env["INIT_CWD"];
  return folder;
}

export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<number> {
  let endsWithOutput = true;
  process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
    // Whoever read our output has seen enough, as with `| head`.
    if (endsWithOutput) process.exit(fault.code === "EPIPE" ? 0 : 1);
  });
  process.stderr.on("error", () => {});
  const context: Omit<Context, "audit"> = {
    argv,
    env: process.env,
    folder: takeFolder(),
    stdout: { write: (written) => void process.stdout.write(written) },
    stderr: { write: (written) => void process.stderr.write(written) },
    isTerminal: process.stdout.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : null,
    errorIsTerminal: process.stderr.isTTY,
    readInput: () => text(process.stdin),
    clock: systemClock,
    onStopSignal(listener) {
      process.on("SIGTERM", listener);
      process.on("SIGINT", listener);
    },
    outliveOutput: () => void (endsWithOutput = false),
    exit: (code) => process.exit(code),
  };
  return dispatch(context);
}

// Opens the consent page in a browser here, or waits for the final address of a browser on another machine.
import { createInterface } from "node:readline";
import { UsageError } from "../../core/errors.ts";
import type { Visit } from "../../gmail-setup/login.ts";
import type { Context } from "../command.ts";
import { noteLine } from "../terminal/output.ts";
import type { Terminal } from "../terminal/person.ts";

const timeoutMs = 15 * 60_000;

export const createVisit =
  (context: Context, terminal: Terminal, { noBrowser }: { noBrowser: boolean }): Visit =>
  async (url, visited) => {
    const opens = noBrowser ? null : terminal.openBrowser;
    noteLine(context, opens ? "Your browser opens this address:" : "Open this address in a browser:");
    noteLine(context, `\n${url}\n`);
    noteLine(
      context,
      'Google may warn that the app is not verified: it is your own, go on by "Advanced".\nIs the browser on another machine? At the end it shows an address beginning with http://127.0.0.1 that does not load: paste that whole address here.',
    );
    opens?.(url);
    const done = new AbortController();
    const timeout = Promise.withResolvers<never>();
    const cancelTimer = context.clock.after(timeoutMs, () =>
      timeout.reject(new UsageError("The login was not finished within 15 minutes. Run the command again.")),
    );
    try {
      return await Promise.race([visited, pasted(terminal, done.signal), timeout.promise]);
    } finally {
      cancelTimer();
      done.abort();
    }
  };

async function pasted(terminal: Terminal, signal: AbortSignal): Promise<string> {
  return terminal.isInteractive ? askForPaste(terminal, signal) : firstLine(terminal, signal);
}

async function askForPaste({ input, output }: Terminal, signal: AbortSignal): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  // Not shown: there is a code in it.
  const answer = await password({
    message: "Waiting for the browser. Or paste the address here:",
    input,
    output,
    signal,
    validate: (written) => (written?.trim() ? undefined : "Paste the whole address, or wait."),
  });
  if (signal.aborted) return never();
  if (isCancel(answer)) throw new UsageError("The login was given up. Nothing was changed.");
  return answer;
}

/** Never resolves when the input ends first: then the login can only be finished in the browser. */
async function firstLine({ input }: Terminal, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input });
  signal.addEventListener("abort", () => {
    lines.close();
    input.pause();
  });
  for await (const line of lines) if (line.trim() !== "") return line;
  return never();
}

const never = (): Promise<never> => new Promise(() => {});

// A progress line on the terminal. Without a terminal it prints nothing.
import type { Context } from "../command.ts";
import { fit, safeLine } from "./text.ts";

export type Progress = { show(text: string): void; clear(): void };

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const quietMs = 1000;
const eraseLine = "\r\u001b[2K";

export function createProgress({ errorIsTerminal, stderr, clock, columns }: Context): Progress {
  if (!errorIsTerminal) return { show() {}, clear() {} };
  const startedAt = clock.monotonic();
  let shown = 0;
  return {
    show(text) {
      const passedMs = clock.monotonic() - startedAt;
      if (passedMs < quietMs) return;
      const seconds = `${Math.floor(passedMs / 1000)} s`;
      const line = fit(`${frames[shown % frames.length]} ${safeLine(text)}, ${seconds}`, (columns ?? 80) - 1);
      stderr.write(`${eraseLine}${line}`);
      shown++;
    },
    clear() {
      if (shown > 0) stderr.write(eraseLine);
      shown = 0;
    },
  };
}

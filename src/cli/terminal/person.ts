// The person at the terminal: whether to ask questions, and on which streams. Tests pass their own streams.
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Context } from "../command.ts";

export type Terminal = {
  input: Readable;
  /** For questions: standard error, so that they are not part of the result. */
  output: Writable;
  /** Null where none can be opened. */
  openBrowser: ((url: string) => void) | null;
  isInteractive: boolean;
};

export const processTerminal = ({ env, errorIsTerminal }: Context): Terminal => ({
  input: process.stdin,
  output: process.stderr,
  isInteractive: process.stdin.isTTY && errorIsTerminal,
  openBrowser: browserOpener(process.platform, env),
});

/** Null over SSH and without a desktop: the browser would not be seen. */
export function browserOpener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Terminal["openBrowser"] {
  const isRemote = Boolean(env["SSH_CONNECTION"] ?? env["SSH_TTY"]);
  const hasDesktop =
    platform === "darwin" || platform === "win32" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  if (isRemote || !hasDesktop) return null;
  const [program, ...args] =
    platform === "darwin"
      ? ["open"]
      : platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  return (url) => {
    const child = spawn(program ?? "", [...args, url], { env, stdio: "ignore", detached: true });
    // A browser that does not start is no fault: the address is printed, too.
    child.on("error", () => {});
    child.unref();
  };
}

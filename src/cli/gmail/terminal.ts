// The person at the terminal: may questions be asked, and on which streams. Tests bring streams of their own.
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Context } from "../command.ts";

export type Terminal = {
  input: Readable;
  /** Questions go where they are no part of the result. */
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

/** On another machine's desktop nobody would see it. */
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
    // The address is on the screen too.
    child.on("error", () => {});
    child.unref();
  };
}

// Runs a tool: to its end for a question, or as long as the tunnel is wanted.
import { sharedEnvironment } from "../processes/environment.ts";
import { readLines } from "../processes/lines.ts";
import { type Program, startProgram } from "../processes/program.ts";
import type { Reaper } from "../processes/reaper.ts";

export type StartDeps = { env: NodeJS.ProcessEnv; reaper: Reaper };

const graceMs = 5000;
const questionMs = 10_000;
const mostOutputBytes = 4_194_304;
const longestLineBytes = 65_536;

/** Where the tools keep their logins, and the ways out of a network. Never the gateway's own secrets. */
const toolNames = [
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "NGROK_AUTHTOKEN",
  "NGROK_CONFIG",
  "ZROK_API_ENDPOINT",
  "ZROK2_API_ENDPOINT",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

export const startTool = (command: string, args: readonly string[], { env, reaper }: StartDeps): Program =>
  startProgram({ command, args, env: sharedEnvironment(toolNames, env), reaper, graceMs });

/** One question to a tool. Its output is empty when it cannot be started or takes too long. */
export async function runTool(
  command: string,
  args: readonly string[],
  deps: StartDeps,
): Promise<{ output: string; exitCode: number | null }> {
  const program = startTool(command, args, deps);
  const chunks: Buffer[] = [];
  let bytes = 0;
  program.output.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostOutputBytes) chunks.push(chunk);
  });
  program.input.end();
  const timer = setTimeout(program.stop, questionMs);
  const end = await program.ended;
  clearTimeout(timer);
  const isWhole = end.kind === "ended" && !end.forced && bytes <= mostOutputBytes;
  return isWhole
    ? { output: Buffer.concat(chunks).toString("utf8"), exitCode: end.exitCode }
    : { output: "", exitCode: null };
}

/** Both of its outputs, so that neither fills up. */
export function readOutput(
  { output, errors }: Program,
  onLine: (line: string, before: string) => void,
): void {
  for (const stream of [output, errors]) {
    let before = "";
    const take = (line: string): void => {
      onLine(line, before);
      before = line;
    };
    readLines(stream, longestLineBytes, { onLine: take, onTooLong: () => {} });
  }
}

// A tunnel from its start until requests from outside are seen to arrive at our relay.
import { randomBytes } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";
import type { Clock } from "../core/clock.ts";
import { UsageError } from "../core/errors.ts";
import { howItEnded, withTail } from "../processes/failure.ts";
import { objectOn } from "../processes/lines.ts";
import type { Program, ProgramEnd } from "../processes/program.ts";
import type { Chosen } from "./choose.ts";
import type { Relay } from "./relay.ts";
import { readOutput, runTool, startTool, type StartDeps } from "./start.ts";
import type { Local, Told } from "./tools.ts";

export type TunnelDeps = StartDeps & {
  clock: Clock;
  fetch: typeof fetch;
  /** A page that the tool asks a person to visit before it goes on. */
  onVisit: (url: string) => void;
};

export type Tunnel = { address: string; program: Program };

const addressMs = 30_000;
const arrivalMs = 60_000;
const pollMs = 500;
const answerMs = 10_000;
const longestAnswer = 1_048_576;

/** Throws `UsageError` when it does not come up; then nothing of it is left running. */
export async function openTunnel(
  { tool, command }: Chosen,
  relay: Relay,
  hooksPath: string,
  { signal, ...given }: TunnelDeps & { signal: AbortSignal },
): Promise<Tunnel> {
  const done = new AbortController();
  const deps = { ...given, done: done.signal };
  const local = { port: relay.port, hooksPath, apiPort: await freePort() };
  const program = startTool(command, tool.args(local), deps);
  const told = Promise.withResolvers<string>();
  let fault = "";
  readOutput(program, (line, before) => {
    const visit = /https:\/\/login\.tailscale\.com\/\S+/.exec(line);
    if (visit) deps.onVisit(visit[0]);
    fault = tool.readFault?.(line) ?? fault;
    const address = tool.readLine(line, before);
    if (address !== null) told.resolve(address);
  });
  const ended = program.ended.then((end): never => {
    throw new UsageError(endText(tool.name, tool.setUp, end, fault));
  });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new UsageError("Stopped.")), { once: true });
  });
  for (const each of [ended, stopped]) each.catch(() => {});
  try {
    const address = await Promise.race([
      ended,
      stopped,
      told.promise,
      poll(() => askAddress({ tool, command }, local, deps), deps, addressMs).then(
        (found) => found ?? Promise.reject(new UsageError(noAddress(tool.name))),
      ),
    ]);
    await Promise.race([ended, stopped, arrival(address, relay, hooksPath, deps)]);
    return { address, program };
  } catch (fault) {
    program.stop();
    await program.ended;
    throw fault;
  } finally {
    done.abort();
    relay.showAt(null);
  }
}

const noAddress = (name: string): string =>
  `${name} gave no public address within ${addressMs / 1000} seconds. Try it by itself, or another: --with TOOL`;

/** `fault`: said when its standard error is empty. */
export function endText(name: string, setUp: string, end: ProgramEnd, fault = ""): string {
  if (end.kind === "not-started") return `${name} could not be started (${end.code}).`;
  const said = end.errorTail.trim() === "" ? fault : end.errorTail;
  // ngrok repeats a token that it does not accept.
  const tail = said.replace(/(authtoken:\s+)(?!https?:)\S+/gi, "$1[hidden]");
  return `${withTail(`${name} ${howItEnded(end)}`, tail)}\nIs it set up? ${setUp}`;
}

async function askAddress(
  { tool, command }: Chosen,
  local: Local,
  deps: TunnelDeps & { done: AbortSignal },
): Promise<Told> {
  const { api } = tool;
  if (api === undefined) return null;
  if ("args" in api) {
    const { output } = await runTool(command, api.args, deps);
    return api.read(objectOn(output));
  }
  // On this machine: never the fetch that tests replace for the internet.
  const text = await textOf(globalThis.fetch, api.url(local), deps.done);
  return text === null ? null : api.read(objectOn(text), local);
}

/** Requests a page of its own through the public address until the relay's answer comes back. */
async function arrival(
  address: string,
  relay: Relay,
  hooksPath: string,
  deps: TunnelDeps & { done: AbortSignal },
): Promise<void> {
  const path = `${hooksPath}/expose-${randomBytes(12).toString("hex")}`;
  const text = randomBytes(24).toString("hex");
  relay.showAt({ path, text });
  const isOurs = async (): Promise<true | null> =>
    (await textOf(deps.fetch, `${address}${path}`, deps.done)) === JSON.stringify({ shown: text })
      ? true
      : null;
  if ((await poll(isOurs, deps, arrivalMs)) === null)
    throw new UsageError(
      `${address} does not lead here: a request to it did not arrive within ${arrivalMs / 1000} seconds.`,
    );
}

/** Null when the time is over. */
async function poll<T>(
  ask: () => Promise<T | null>,
  { clock, done }: { clock: Clock; done: AbortSignal },
  forMs: number,
): Promise<T | null> {
  const until = clock.monotonic() + forMs;
  while (!done.aborted) {
    const found = await ask();
    if (found !== null) return found;
    if (clock.monotonic() >= until) return null;
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
  }
  return null;
}

/** Null for anything but a short 200. */
async function textOf(fetchPage: typeof fetch, url: string, done: AbortSignal): Promise<string | null> {
  try {
    const signal = AbortSignal.any([done, AbortSignal.timeout(answerMs)]);
    const response = await fetchPage(url, {
      redirect: "manual",
      signal,
      headers: { "ngrok-skip-browser-warning": "1" },
    });
    let text = "";
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length > longestAnswer) return null;
    }
    return response.status === 200 ? text : null;
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// The work of a process that runs transforms. It loads every module, then takes one call after another.
import { Socket } from "node:net";
import type { Transform } from "../sdk/transform.ts";
import {
  oneLine,
  type ProcessCall,
  type ProcessMessage,
  type ProcessStart,
  type Snapshot,
  tooLarge,
  type TransformCall,
  type TransformReference,
} from "./call.ts";
import { createFrameReader, frameOf, messageDescriptor, noKey } from "./frames.ts";
import { findModule, loadTransform, registerTransformHooks } from "./load.ts";
import { readResult } from "./result.ts";

/** As they were before a transform could replace them. */
const { parse, stringify } = JSON;

type Send = (message: ProcessMessage) => void;

export function work(): void {
  const pipe = new Socket({ fd: messageDescriptor });
  let take: ((text: string) => void) | null = null;
  const start = (text: string): void => {
    const { key, ...loading } = parse(text) as ProcessStart;
    const keyBytes = Buffer.from(key, "hex");
    const write = (written: string): void => void pipe.write(frameOf(keyBytes, written));
    const send: Send = (message) => write(stringify(message));
    process.on("uncaughtExceptionMonitor", (fault) => send({ kind: "stray", reason: strayOf(fault) }));
    const loaded: (Transform | string)[] = [];
    // One after another: the first that has no response is the one that runs.
    let last = Promise.resolve();
    take = (given) => void (last = last.then(() => respond(given, loaded)).then(write));
    void loadAll(loading, loaded, send);
  };
  const read = createFrameReader(noKey, () => Infinity, {
    onText: (text) => (take ?? start)(text),
    onFault: endGroup,
  });
  pipe.on("data", read).on("close", endGroup).on("error", endGroup);
  // Whoever stops the gateway may signal all its processes; the gateway lets a call that runs finish.
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => {});
}

/** The gateway is gone: ends this process and what it has started. */
const endGroup = (): void => void process.kill(-process.pid, "SIGKILL");

async function loadAll(
  { transformsDir, references, snapshot }: Omit<ProcessStart, "key">,
  loaded: (Transform | string)[],
  send: Send,
): Promise<void> {
  const entries: string[] = [];
  const modules = registerTransformHooks(transformsDir, new Map(snapshot?.modules));
  const load = async (reference: TransformReference, index: number): Promise<Transform> => {
    const url = snapshot?.entries[index] ?? findModule(transformsDir, reference);
    entries[index] = url;
    return loadTransform(url, reference);
  };
  for (const [index, reference] of references.entries()) {
    send({ kind: "loading", index });
    const transform = await load(reference, index).catch(messageOf);
    if (typeof transform === "string") send({ kind: "unusable", fault: { index, message: transform } });
    loaded.push(transform);
  }
  const read: Snapshot | null = snapshot === null ? { entries, modules: [...modules] } : null;
  send({ kind: "loaded", snapshot: read });
}

/** The response to a call, as JSON. Never rejects. */
async function respond(given: string, loaded: readonly (Transform | string)[]): Promise<string> {
  const { index, sequence, room, call } = freezeAll(parse(given)) as ProcessCall;
  const fail = (reason: string): string =>
    stringify({ kind: "failed", sequence, reason } satisfies ProcessMessage);
  try {
    const transform = loaded[index] ?? "it is not loaded";
    if (typeof transform === "string") return fail(transform);
    const startedAt = performance.now();
    const result = stringify(readResult(await run(transform, call)));
    const ms = performance.now() - startedAt;
    if (Buffer.byteLength(result) > room) return fail(tooLarge);
    return `{"kind":"done","sequence":${sequence},"ms":${ms},"result":${result}}`;
  } catch (fault) {
    return fail(messageOf(fault));
  }
}

async function run(transform: Transform, { input, action }: TransformCall): Promise<unknown> {
  try {
    return await transform(input, action);
  } catch (fault) {
    const what = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    throw new Error(`it threw ${what}`, { cause: fault });
  }
}

/** Of JSON, to the last leaf. */
function freezeAll(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) freezeAll(each);
  return Object.freeze(value);
}

const messageOf = (fault: unknown): string =>
  oneLine(fault instanceof Error ? fault.message : "it threw something that is not an error");

const strayOf = (fault: unknown): string =>
  fault instanceof Error
    ? oneLine(`it threw outside of a call: ${fault.name}: ${fault.message}`)
    : "it threw something that is not an error, outside of a call";

// Detects that the content of the config file, or of a secret file it names, has changed.
// It polls and compares, because file system events stop arriving after an atomic replace.
import type { Clock } from "../core/clock.ts";
import { type Environment, loadConfig, type LoadResult } from "./load.ts";
import { scanFiles } from "./read/files.ts";

export type WatchOptions = {
  file: string;
  env: Environment;
  clock: Clock;
  /** Called for every change, also for one that cannot be used: the caller then keeps its configuration. */
  onChange: (result: LoadResult) => void;
  /** What the caller has loaded already; without it, the content at this moment counts as known. */
  loaded?: LoadResult;
  /** How long after the end of one scan the next one starts. */
  intervalMs?: number;
  /** Fingerprints the other files the configuration depends on; `known` is that from before they were read. */
  also?: { now: () => Promise<string>; known: string };
};

/** Returns the function that ends the watch; no call of `onChange` follows it. */
export function watchConfig(options: WatchOptions): () => void {
  const { file, env, clock, onChange, loaded, intervalMs = 1000, also } = options;
  let known = loaded ?? loadConfig(file, env);
  let inUse = `${known.fingerprint} ${also?.known ?? ""}`;
  let lastSeen = inUse;
  let isStopped = false;
  let cancelTimer = (): void => {};

  async function scan(): Promise<void> {
    const [files, others] = await Promise.all([scanFiles(known.files), also?.now() ?? ""]);
    if (isStopped) return;
    const seen = `${files} ${others}`;
    // Two scans in a row must agree, so that a file is not loaded while it is being written.
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (!isSettled || seen === inUse) return;
    known = loadConfig(file, env);
    inUse = `${known.fingerprint} ${others}`;
    lastSeen = inUse;
    onChange(known);
  }

  /** The timer is set again only after a scan has ended, so that two never overlap on a slow disk. */
  const scanLater = (): void => {
    cancelTimer = clock.after(intervalMs, () => void scan().finally(() => isStopped || scanLater()));
  };
  scanLater();
  return () => {
    isStopped = true;
    cancelTimer();
  };
}

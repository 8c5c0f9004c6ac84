// Notices that the config file, or a secret file it names, has other content than before.
// It reads and compares instead of asking the file system for events: those go deaf after an atomic replace.
import { fingerprintOf } from "./read/files.ts";
import { type Environment, loadConfig, type LoadResult } from "./load.ts";

export type Watch = {
  file: string;
  env: Environment;
  /** Called for every change, also for one that cannot be used; the caller keeps what it has then. */
  onChange: (result: LoadResult) => void;
  /** What the caller has loaded already; without it, what is there now counts as known. */
  loaded?: LoadResult;
  intervalMs?: number;
  /** A fingerprint of whatever else the configuration depends on, and what it was when that was read. */
  also?: { now: () => string; known: string };
};

/** Returns the function that ends the watch. */
export function watchConfig({ file, env, onChange, loaded, intervalMs = 1000, also }: Watch): () => void {
  let known = loaded ?? loadConfig(file, env);
  let inUse = `${known.fingerprint} ${also?.known ?? ""}`;
  let lastSeen = inUse;
  const look = () => {
    const beside = also?.now() ?? "";
    const seen = `${fingerprintOf(known.files)} ${beside}`;
    // Only what two looks agree on is taken up, so that a file is not read while it is being written.
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (!isSettled || seen === inUse) return;
    known = loadConfig(file, env);
    inUse = `${known.fingerprint} ${beside}`;
    lastSeen = inUse;
    onChange(known);
  };
  const timer = setInterval(look, intervalMs);
  return () => clearInterval(timer);
}

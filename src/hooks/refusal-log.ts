// Log lines for refused requests. The first refusal of an address with a code is logged at once, further ones as one
// sum a second. Beyond a number of lines a second only a total is logged, so that a flood cannot fill the log.
import type { Clock } from "../core/clock.ts";
import { catalogue, type ErrorCode } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

export type RefusalLog = {
  note(address: string, code: ErrorCode): void;
};

type Entry = { address: string; code: ErrorCode; more: number };

const summaryEveryMs = 1_000;

export function createRefusalLog(log: Log, clock: Clock, linesPerSecond = 50): RefusalLog {
  const entries = new Map<string, Entry>();
  let others = 0;

  function flush(): void {
    for (const { address, code, more } of entries.values()) {
      if (more > 0)
        log.warn("more requests refused", { address, code, status: catalogue[code].status, count: more });
    }
    if (others > 0) log.warn("requests refused from many addresses", { count: others });
    entries.clear();
    others = 0;
  }

  return {
    note(address, code) {
      const key = `${address} ${code}`;
      const known = entries.get(key);
      if (known !== undefined) known.more++;
      else if (entries.size >= linesPerSecond) others++;
      else {
        if (entries.size === 0) clock.after(summaryEveryMs, flush);
        entries.set(key, { address, code, more: 0 });
        log.warn("request refused", { address, code, status: catalogue[code].status });
      }
    },
  };
}

// Log lines for refused requests. The first refusal of its kind from an address is logged at once, further ones as one
// sum a second. Beyond a number of lines a second only a total is logged, so that a flood cannot fill the log.
import type { Clock } from "../core/clock.ts";
import { catalogue, type ErrorCode } from "../core/errors.ts";
import type { Log, LogFields } from "../core/log.ts";

export type RefusalLog = {
  note(refused: Refused): void;
};

/** `hook`: only a name of the configuration. `field`: the first one that was refused. */
export type Refused = { address: string; code: ErrorCode; hook?: string; field?: string };

type Entry = { refused: Refused; more: number };

const summaryEveryMs = 1_000;

export function createRefusalLog(log: Log, clock: Clock, linesPerSecond = 50): RefusalLog {
  const entries = new Map<string, Entry>();
  let others = 0;

  function flush(): void {
    for (const { refused, more } of entries.values())
      if (more > 0) log.warn("more requests refused", { ...fieldsOf(refused), count: more });
    if (others > 0) log.warn("requests refused from many addresses", { count: others });
    entries.clear();
    others = 0;
  }

  return {
    note(refused) {
      const { address, code, hook, field } = refused;
      const key = JSON.stringify([address, code, hook, field]);
      const known = entries.get(key);
      if (known !== undefined) known.more++;
      else if (entries.size >= linesPerSecond) others++;
      else {
        if (entries.size === 0) clock.after(summaryEveryMs, flush);
        entries.set(key, { refused, more: 0 });
        log.warn("request refused", fieldsOf(refused));
      }
    },
  };
}

const fieldsOf = (refused: Refused): LogFields => ({ ...refused, status: catalogue[refused.code].status });

// Statistics of this process. The event loop's delay is measured from the first read on: its timer fires fifty times a
// second and costs 0.3 % of a core, which a gateway without a reader of its metrics does not pay.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";

export type ProcessState = {
  version: string;
  startedAtSeconds: number;
  cpuSeconds: number;
  residentBytes: number;
  heapBytes: number;
  loopBusySeconds: number;
  loopIdleSeconds: number;
  /** Since the previous read or the one before it; null at the first. */
  loopDelay: LoopDelay | null;
};

/** In seconds. */
export type LoopDelay = { median: number; p99: number; longest: number };

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

export type ProcessStats = { read(): ProcessState; stop(): void };

const resolutionMs = 20;

/** A read within `shortestWindowMs` of the previous one gets the same loop delay, so that several can read. */
export function createProcessStats({ shortestWindowMs = 5_000 } = {}): ProcessStats {
  let histogram: DelayHistogram | null = null;
  let known: LoopDelay | null = null;
  let windowStartedAt = 0;
  let version: string | null = null;

  function loopDelay(): LoopDelay | null {
    const now = performance.now();
    if (histogram === null) {
      histogram = monitorEventLoopDelay({ resolution: resolutionMs });
      histogram.enable();
      windowStartedAt = now;
    } else if (histogram.count > 0 && (known === null || now - windowStartedAt >= shortestWindowMs)) {
      known = delayIn(histogram);
      histogram.reset();
      windowStartedAt = now;
    }
    return known;
  }

  return {
    read() {
      const { user, system } = process.cpuUsage();
      const { active, idle } = performance.eventLoopUtilization();
      const { rss, heapUsed } = process.memoryUsage();
      return {
        version: (version ??= readVersion()),
        startedAtSeconds: performance.timeOrigin / 1000,
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapBytes: heapUsed,
        loopBusySeconds: active / 1000,
        loopIdleSeconds: idle / 1000,
        loopDelay: loopDelay(),
      };
    },
    stop: () => void histogram?.disable(),
  };
}

/** The histogram holds the time between two ticks of its timer; what exceeds the timer's interval is delay. */
function delayIn(histogram: DelayHistogram): LoopDelay {
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  return {
    median: seconds(histogram.percentile(50)),
    p99: seconds(histogram.percentile(99)),
    longest: seconds(histogram.max),
  };
}

export function readVersion(): string {
  const about = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(about) as { version: string }).version;
}

// How this process is doing. The event loop's delay is watched from the first look on: a timer fifty times a second
// costs 0.3 % of a core, which a gateway that nobody looks at does not pay.
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
  /** In seconds, since the last look or the one before; null at the first. */
  loopDelay: LoopDelay | null;
};

export type LoopDelay = { median: number; p99: number; longest: number };

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

export type ProcessWatch = { read(): ProcessState; stop(): void };

const resolutionMs = 20;

/** Several may look: whoever comes sooner than `shortestWindowMs` is told what the last one was. */
export function createProcessWatch({ shortestWindowMs = 5_000 } = {}): ProcessWatch {
  let histogram: DelayHistogram | null = null;
  let known: LoopDelay | null = null;
  let begunAt = 0;
  let version: string | null = null;

  function loopDelay(): LoopDelay | null {
    const now = performance.now();
    if (histogram === null) {
      histogram = monitorEventLoopDelay({ resolution: resolutionMs });
      histogram.enable();
      begunAt = now;
    } else if (histogram.count > 0 && (known === null || now - begunAt >= shortestWindowMs)) {
      known = delayIn(histogram);
      histogram.reset();
      begunAt = now;
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

/** It measures from one tick of its timer to the next: what is more than their distance is delay. */
function delayIn(histogram: DelayHistogram): LoopDelay {
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  return {
    median: seconds(histogram.percentile(50)),
    p99: seconds(histogram.percentile(99)),
    longest: seconds(histogram.max),
  };
}

function readVersion(): string {
  const about = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(about) as { version: string }).version;
}

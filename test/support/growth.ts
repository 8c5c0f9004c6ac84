// Work that must not grow faster than its input, tried in one run: four times the input may take eight times the
// processor time. Quadratic work takes sixteen times. How fast or busy the machine is does not matter.
import assert from "node:assert/strict";

const times = 4;
const mostGrowth = 8;
/** Shorter times are noise. */
const leastMs = 1;
/** The kernel can count processor time in steps of 4 ms, so short work is repeated for this long. */
const measuredMs = 40;
const attempts = 5;

/** Runs `work` with a `size` and with four times that size. */
export function assertLinear(what: string, size: number, work: (size: number) => unknown): void {
  let [small, large] = [Infinity, Infinity];
  for (let attempt = 0; attempt < attempts; attempt++) {
    small = Math.min(
      small,
      processorMs(() => work(size)),
    );
    large = Math.min(
      large,
      processorMs(() => work(size * times)),
    );
    if (large <= mostGrowth * Math.max(small, leastMs)) return;
  }
  assert.fail(`${what}: ${times} times the input took ${large} ms instead of ${small} ms`);
}

/** The mean over as many repetitions as fill the time that is measured. */
function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  for (let repetitions = 1; ; repetitions++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= measuredMs) return ms / repetitions;
  }
}

/** The same for work that takes turns with other work; it is awaited once for each measurement. */
export async function assertLinearAsync(
  what: string,
  size: number,
  work: (size: number) => Promise<unknown>,
): Promise<void> {
  let [small, large] = [Infinity, Infinity];
  for (let attempt = 0; attempt < attempts; attempt++) {
    small = Math.min(small, await awaitedMs(() => work(size)));
    large = Math.min(large, await awaitedMs(() => work(size * times)));
    if (large <= mostGrowth * Math.max(small, leastMs * times)) return;
  }
  assert.fail(`${what}: ${times} times the input took ${large} ms instead of ${small} ms`);
}

async function awaitedMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

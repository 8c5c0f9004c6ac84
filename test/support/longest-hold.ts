// How long work holds the event loop at a time, in processor time of this thread: how busy the machine is, and what
// other threads do, does not count.

/** The longest time between two turns of the event loop while the work is done, in milliseconds. */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let before = process.threadCpuUsage();
  const tick = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await new Promise((resolve) => setImmediate(resolve));
  longest = 0;
  await work();
  isDone = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}

// A program for the test of the watch: works for 600 ms of processor time, in the way its argument says.
import { watchHolds } from "./held.ts";

const workMs = 600;
const pieces = 60;
const watch = watchHolds();

/** Until this thread has used so much processor time, however busy the machine is. */
function work(ms: number): void {
  const { user, system } = process.threadCpuUsage();
  let used = 0;
  while (used < ms * 1000) {
    const now = process.threadCpuUsage();
    used = now.user + now.system - user - system;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

await turn();
const way = process.argv[2];
if (way === "long") work(workMs);
else if (way === "left-out") watch.without(() => work(workMs));
else
  for (let piece = 0; piece < pieces; piece++) {
    work(workMs / pieces);
    await turn();
  }
// The next readings are taken.
await new Promise((resolve) => setTimeout(resolve, 60));
console.log(JSON.stringify(watch.longest()));

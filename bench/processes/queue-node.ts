// A node that works a queue. Its orders: fill the queue, work on it, report what it has handled, stop.
import { setTimeout as delay } from "node:timers/promises";
import type { ContenderName, Working } from "../queue/contender.ts";
import { loadContender } from "../queue/load-contender.ts";

export type NodeOrder =
  | { kind: "fill"; lanes: number; from: number; count: number }
  /** `handleMs`: how long each job takes; with 0 jobs are counted but not recorded. */
  | { kind: "work"; slots: number; handleMs: number }
  | { kind: "count" }
  | { kind: "stop" };

/** When a recorded job ran, in microseconds of the machine's clock. */
export type Handled = { lane: string; fromUs: number; toUs: number };
export type NodeReport = { count: number; lastUs: number; handled: Handled[] };

const [name, address = ""] = process.argv.slice(2);
const contender = await loadContender(name as ContenderName);
const handled: Handled[] = [];
let working: Working | undefined;
let count = 0;
let lastUs = 0;

const nowUs = (): number => Number(process.hrtime.bigint()) / 1000;

const handleFor =
  (handleMs: number) =>
  async (lane: string): Promise<void> => {
    const fromUs = nowUs();
    count++;
    lastUs = fromUs;
    if (handleMs === 0) return;
    await delay(handleMs);
    handled.push({ lane, fromUs, toUs: nowUs() });
  };

async function obey(order: NodeOrder): Promise<void> {
  switch (order.kind) {
    case "fill": {
      const laneAt = (at: number): string => `lane-${(order.from + at) % order.lanes}`;
      return contender.fill(
        address,
        Array.from({ length: order.count }, (_, at) => ({ lane: laneAt(at) })),
      );
    }
    case "work":
      working = await contender.work(address, order.slots, handleFor(order.handleMs));
      return;
    case "stop":
      await working?.stop();
      return;
    case "count":
  }
}

process.on("message", (order: NodeOrder) => {
  obey(order).then(
    () =>
      process.send?.({ count, lastUs, handled: order.kind === "stop" ? handled : [] } satisfies NodeReport),
    (fault: unknown) => {
      console.error(fault);
      process.exit(1);
    },
  );
});
process.send?.("ready");

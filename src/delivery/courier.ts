// Sends replies: claims deliveries, sends them message by message, settles them. Every channel has a loop of its own, so
// that a slow or dead platform slows no other; a scout polls for channels with waiting deliveries.
import { newId as newUuid } from "../core/id.ts";
import { noMetrics } from "../core/metrics.ts";
import { carriedTrace } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { createLoop, type Loop, type LoopOptions } from "../work/loop.ts";
import { createAttempts, type AttemptsOptions, type DeliveryWork } from "./attempts.ts";

type Defaulted = Pick<AttemptsOptions, "sendTimeoutMs" | "metrics" | "trace" | "newId" | "random" | "render">;

export type CourierOptions = Omit<AttemptsOptions, keyof Defaulted | "store" | "onNext"> &
  Partial<Defaulted> & {
    store: AttemptsOptions["store"] & Pick<Store, "claimDeliveries" | "waitingChannels">;
    /** There are more deliveries than this node has slots for. */
    onFull?: () => void;
    /** On each channel. */
    maxConcurrent?: number;
  };

export type Courier = {
  start(): void;
  /** A delivery was stored for this channel. */
  kick(channel: string): void;
  /** The channels have changed, or another node has more deliveries than slots. */
  poll(): void;
  /** One claim on every channel, resolved when all it brought is settled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more, waits `drainMs` for what is being sent, stops the rest, and resolves when all is stored. */
  drain(drainMs: number): Promise<void>;
  busy(): number;
};

/** The scout polls every second, so that a channel's loop need not. */
const longestRestMs = 60_000;

export function createCourier(options: CourierOptions): Courier {
  const { store, clock, log, random = Math.random } = options;
  const attempts = createAttempts({ ...withDefaults(options), onNext: (channel) => kick(channel) });
  const channels = createChannelLoops((channel) => channelLoop(channel, options, attempts.handle));
  const scout = createLoop<never>({
    name: "the outbox",
    clock,
    log,
    random,
    capacity: () => 1,
    async claim() {
      for (const channel of await store.waitingChannels()) channels.of(channel)?.poll();
      return { claimed: [], nextInMs: null };
    },
    handle: async () => {},
  });

  function kick(channel: string): void {
    channels.of(channel)?.kick();
  }

  return {
    start() {
      channels.start();
      scout.start();
    },
    kick,
    poll: scout.poll,
    async tick() {
      await scout.tick();
      await Promise.all(channels.all().map((loop) => loop.tick()));
    },
    async drain(drainMs) {
      channels.close();
      attempts.refuse();
      if (drainMs <= 0) attempts.stop();
      const cancelTimer = clock.after(drainMs, attempts.stop);
      await Promise.all([scout, ...channels.all()].map((loop) => loop.drain()));
      cancelTimer();
      attempts.end();
    },
    busy: () => channels.all().reduce((sum, loop) => sum + loop.busy(), 0),
  };
}

const withDefaults = (options: CourierOptions) => ({
  ...options,
  sendTimeoutMs: options.sendTimeoutMs ?? 60_000,
  metrics: options.metrics ?? noMetrics,
  trace: options.trace ?? carriedTrace,
  newId: options.newId ?? newUuid,
  random: options.random ?? Math.random,
  render: options.render ?? (async (_name, channel, markdown) => channel.render(markdown)),
});

type DeliveryLoop = Loop<DeliveryWork>;

type ChannelLoops = {
  /** Made when first asked for; null once closed. */
  of(channel: string): DeliveryLoop | null;
  all(): DeliveryLoop[];
  start(): void;
  close(): void;
};

function createChannelLoops(create: (channel: string) => DeliveryLoop): ChannelLoops {
  const loops = new Map<string, DeliveryLoop>();
  let state: "new" | "started" | "closed" = "new";

  function add(channel: string): DeliveryLoop {
    const loop = create(channel);
    loops.set(channel, loop);
    if (state === "started") loop.start();
    return loop;
  }

  return {
    of: (channel) => (state === "closed" ? null : (loops.get(channel) ?? add(channel))),
    all: () => [...loops.values()],
    start() {
      state = "started";
      for (const loop of loops.values()) loop.start();
    },
    close() {
      state = "closed";
    },
  };
}

function channelLoop(
  channel: string,
  options: CourierOptions,
  handle: LoopOptions<DeliveryWork>["handle"],
): DeliveryLoop {
  const { store, clock, log, leaseMs, onFull, maxConcurrent = 4 } = options;
  const { newId, random } = withDefaults(options);
  return createLoop<DeliveryWork>({
    name: `deliveries on ${channel}`,
    clock,
    log,
    random,
    pollMs: longestRestMs,
    capacity: () => maxConcurrent,
    async claim(limit) {
      const leasedFrom = clock.monotonic();
      const { claimed, nextInMs } = await store.claimDeliveries({ channel, limit, lease: newId(), leaseMs });
      return { claimed: claimed.map((delivery) => ({ delivery, leasedFrom })), nextInMs };
    },
    handle,
    ...(onFull && { onFull }),
  });
}

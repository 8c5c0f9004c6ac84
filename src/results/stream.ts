// The events of one run: its state first, then what its agent tells on this node, then its end. States have ids, so that
// a client that connects again hears nothing twice; what the agent said so far then comes as one snapshot.
import type { Clock } from "../core/clock.ts";
import type { Live, LiveEvent } from "../core/live.ts";
import { hasEnded, type OpenAccess, resultResource, type RunState, stateNumber } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { type EventStream, openEventStream, type ServerEvent } from "../http/event-stream.ts";
import type { Exchange } from "../http/exchange.ts";
import type { RunWatch } from "./watch.ts";

export type StreamRequest = {
  /** As it is known: a run that has ended is needed whole. */
  run: RunState | Run;
  access: OpenAccess;
  /** The client was connected before. */
  isResumed: boolean;
  headers?: readonly string[];
  onClose: () => void;
};

export type Streams = {
  /** False: too many are open, or the gateway stops. Nothing was sent then. */
  open(exchange: Exchange, request: StreamRequest): boolean;
  taken(): number;
  stop(): void;
};

export type StreamOptions = {
  watch: Pick<RunWatch, "add">;
  live: Live;
  clock: Pick<Clock, "after" | "monotonic">;
  mostStreams: () => number;
};

export function createStreams(options: StreamOptions): Streams {
  const { watch, live, clock, mostStreams } = options;
  const open = new Set<EventStream>();
  let isStopped = false;
  return {
    open(exchange, { run, access, isResumed, headers, onClose }) {
      if (isStopped || open.size >= mostStreams()) return false;
      let unwatch = (): void => {};
      let follower: Follower | null = null;
      const stream = openEventStream(exchange, {
        clock,
        ...(headers && { headers }),
        onClose() {
          open.delete(stream);
          unwatch();
          follower?.stop();
          onClose();
        },
      });
      open.add(stream);
      stream.send(stateEvent(run));
      if (hasEnded(run) && "request" in run) {
        stream.end(endEvent(run, access));
        return true;
      }
      follower = follow(run, { live, clock, isResumed, hear: (event) => sendLive(stream, event, access) });
      unwatch = watch.add(run, {
        changed(state) {
          stream.send(stateEvent(state));
          follower?.see(state);
        },
        ended: (ended) => stream.end(endEvent(ended, access)),
        gone: () => stream.end(),
      });
      return true;
    },
    taken: () => open.size,
    stop() {
      isStopped = true;
      for (const stream of open) stream.end();
    },
  };
}

const stateEvent = (run: RunState): ServerEvent => ({
  id: stateNumber(run),
  event: "run",
  data: { runId: run.id, status: run.status, attempts: run.attempts },
});

const endEvent = (run: Run, access: OpenAccess): ServerEvent => ({
  id: stateNumber(run),
  event: "end",
  data: resultResource(run, access),
});

/** What was told before comes as `snapshot`. */
type Heard = LiveEvent | { kind: "snapshot"; text: string };

/** Who may read only the status learns that a tool was called, and not which. */
function sendLive(stream: EventStream, event: Heard, access: OpenAccess): void {
  const { kind, ...data } = event;
  if (access === "reply") stream.send({ event: kind, data });
  else if (event.kind === "tool")
    stream.send({ event: kind, data: { state: event.state, ms: event.ms, ok: event.ok } });
}

type Follower = { see(state: RunState): void; stop(): void };

const firstTryMs = 50;
const longestTryMs = 2000;

/**
 * Listens to the attempt that runs on this node. It may begin a moment after the run's state says so, and it may run on
 * another node, so it is looked for with growing pauses.
 */
function follow(
  run: RunState,
  {
    live,
    clock,
    isResumed,
    hear,
  }: Pick<StreamOptions, "live" | "clock"> & {
    isResumed: boolean;
    hear: (event: Heard) => void;
  },
): Follower {
  let stopListening: (() => void) | null = null;
  let cancelTimer = (): void => {};
  let isFirst = true;

  function listen(pauseMs: number): void {
    const found = live.listen(run.id, hear);
    if (found === null) {
      cancelTimer = clock.after(pauseMs, () => listen(Math.min(2 * pauseMs, longestTryMs)));
      return;
    }
    stopListening = found.stop;
    if (found.text !== "" || (isFirst && isResumed)) hear({ kind: "snapshot", text: found.text });
    isFirst = false;
  }
  function stop(): void {
    cancelTimer();
    stopListening?.();
    stopListening = null;
  }
  function see({ status }: RunState): void {
    stop();
    if (status === "running") listen(firstTryMs);
  }

  see(run);
  return { see, stop };
}

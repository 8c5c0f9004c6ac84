// The metrics that are read when they are requested: the stored work, and the state of this process.
import type { Label } from "./label.ts";
import type { ProcessState } from "./process.ts";
import type { Registry } from "./registry.ts";

/** Stored work that has not ended, of all nodes on the store. */
export type StoredWork = {
  queued: number;
  running: number;
  parked: number;
  oldestSeconds: number;
  events: number;
  deliveries: readonly { channel: string; waiting: number; oldestSeconds: number }[];
};

export type State = {
  /** Null while the store is away: then these series are left out. */
  work: StoredWork | null;
  storeUp: boolean;
  connections: number;
  inHand: { runs: number; deliveries: number };
  process: ProcessState;
};

export function createState(registry: Registry): { set(state: State, channels: Label): void } {
  const setWork = workGauges(registry);
  const { gauge } = registry;
  const storeUp = gauge("rouse_store_up", "1 while the store can be written.").at();
  const inHand = gauge("rouse_in_hand", "Runs and deliveries that this node works on now.", ["kind"]);
  const connections = gauge("rouse_connections", "Open HTTP connections.").at();
  const setProcess = processGauges(registry);
  return {
    set(state, channels) {
      storeUp.value = state.storeUp ? 1 : 0;
      inHand.at("run").value = state.inHand.runs;
      inHand.at("delivery").value = state.inHand.deliveries;
      connections.value = state.connections;
      setWork(state.work, channels);
      setProcess(state.process);
    },
  };
}

function workGauges({ gauge }: Registry) {
  const runs = gauge("rouse_queue_runs", "Runs that have not ended, on all nodes.", ["state"]);
  const oldest = gauge(
    "rouse_queue_oldest_seconds",
    "How long the hook run that could start and has waited longest has waited.",
  );
  const events = gauge("rouse_events_waiting", "System events that no turn has shown yet.");
  const waiting = gauge("rouse_deliveries_waiting", "Deliveries that wait or are being sent, on all nodes.", [
    "channel",
  ]);
  const waitingOldest = gauge("rouse_deliveries_oldest_seconds", "How long the oldest of them has waited.", [
    "channel",
  ]);

  return (work: StoredWork | null, channels: Label): void => {
    for (const each of [runs, oldest, events, waiting, waitingOldest]) each.clear();
    if (work === null) return;
    runs.at("queued").value = work.queued;
    runs.at("running").value = work.running;
    runs.at("parked").value = work.parked;
    oldest.at().value = work.oldestSeconds;
    events.at().value = work.events;
    for (const channel of channels.known()) waiting.at(channel);
    for (const { channel, waiting: count, oldestSeconds } of work.deliveries) {
      waiting.at(channels.of(channel)).value += count;
      const age = waitingOldest.at(channels.of(channel));
      age.value = Math.max(age.value, oldestSeconds);
    }
  };
}

function processGauges({ counter, gauge }: Registry) {
  const delay = gauge("rouse_event_loop_delay_seconds", "How late the event loop was, in the last seconds.", [
    "stat",
  ]);
  const loop = counter("rouse_event_loop_seconds_total", "Time the event loop was busy or idle.", ["state"]);
  const cpu = counter("rouse_process_cpu_seconds_total", "CPU time of the process, all threads.").at();
  const resident = gauge("rouse_process_resident_memory_bytes", "Resident memory of the process.").at();
  const heap = gauge("rouse_process_heap_bytes", "JavaScript heap in use, of the main thread.").at();
  const started = gauge("rouse_process_start_time_seconds", "When the process started (epoch).").at();
  const build = gauge("rouse_build_info", "Always 1; the versions are in the labels.", ["version", "node"]);

  return (state: ProcessState): void => {
    delay.clear();
    if (state.loopDelay !== null) {
      delay.at("median").value = state.loopDelay.median;
      delay.at("p99").value = state.loopDelay.p99;
      delay.at("max").value = state.loopDelay.longest;
    }
    loop.at("busy").value = state.loopBusySeconds;
    loop.at("idle").value = state.loopIdleSeconds;
    cpu.value = state.cpuSeconds;
    resident.value = state.residentBytes;
    heap.value = state.heapBytes;
    started.value = state.startedAtSeconds;
    build.at(state.version, process.versions.node).value = 1;
  };
}

// The metrics that are counted as events happen. Labels take only values that the configuration names; everything else
// is `other`, so that no request can make a series.
import type { Metrics } from "../core/metrics.ts";
import { unreadableTables } from "../core/unreadable.ts";
import { createLabel } from "./label.ts";
import { createRegistry, type Described, type Registry } from "./registry.ts";
import { createState, type State } from "./state.ts";

/** Names that may stand in labels. */
export type KnownNames = {
  hooks: readonly string[];
  agents: readonly string[];
  /** Those that are configured. */
  channels: readonly string[];
  platforms: readonly string[];
};

export type MetricsBook = Metrics & {
  /** From now on these are the names that the configuration knows. Counts under earlier names stay. */
  know(names: KnownNames): void;
  render(state: State): string;
  list(): Described[];
};

const accepting: ReadonlySet<string> = new Set(["accepted", "replayed", "skipped", "handshake"]);

const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const workBounds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const groupBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 500];

export function createMetrics(): MetricsBook {
  const registry = createRegistry();
  const { requests, requestSeconds, storeSeconds, groups, authFailures, proofFailures } =
    requestFamilies(registry);
  const { runs, runRetries, runSeconds, runWait, heartbeats } = runFamilies(registry);
  const { deliveries, deliveryRetries, deliverySeconds, leasesLost } = deliveryFamilies(registry);
  const unreadable = registry.counter(
    "rouse_unreadable_rows_total",
    "Stored rows that could not be read, and were set aside.",
    ["table"],
  );
  const state = createState(registry);
  const hooks = createLabel();
  const agents = createLabel();
  const channels = createLabel();

  /** Makes the series that exist from the start: a rate needs a zero to start from. */
  function addKnownSeries(): void {
    for (const hook of hooks.known()) requests.at(hook, "accepted");
    for (const result of ["accepted", "refused"]) requestSeconds.at(result);
    for (const outcome of ["succeeded", "failed"]) heartbeats.at(outcome);
    for (const channel of channels.known())
      for (const outcome of ["sent", "failed", "unknown"]) deliveries.at(channel, outcome);
    for (const kind of ["run", "delivery"]) leasesLost.at(kind);
    for (const table of unreadableTables) unreadable.at(table);
  }
  addKnownSeries();

  return {
    know(names) {
      hooks.know(names.hooks);
      agents.know(names.agents);
      channels.know(names.channels, names.platforms);
      addKnownSeries();
    },
    requestEnded(hook, code, seconds) {
      requests.at(hooks.of(hook), code).value++;
      // A caller may wait for a result, so that its time says nothing.
      if (code === "read") return;
      const isAccepted = accepting.has(code);
      requestSeconds.at(isAccepted ? "accepted" : "refused").observe(seconds);
    },
    requestStored: (seconds) => storeSeconds.observe(seconds),
    authFailed: () => void authFailures.value++,
    proofFailed: (sender, reason) => void proofFailures.at(hooks.of(sender), reason).value++,
    groupWritten: (size) => groups.observe(size),
    runStarted: (seconds) => runWait.observe(seconds),
    runEnded({ kind, hook, agentId }, outcome, seconds) {
      if (kind === "heartbeat") heartbeats.at(outcome).value++;
      else runs.at(hooks.of(hook), agents.of(agentId), outcome).value++;
      runSeconds.at(kind).observe(seconds);
    },
    runRetried: (hook) => void runRetries.at(hooks.of(hook)).value++,
    deliveryEnded(channel, outcome, seconds) {
      deliveries.at(channels.of(channel), outcome).value++;
      if (outcome === "sent" && seconds !== null) deliverySeconds.at(channels.of(channel)).observe(seconds);
    },
    deliveryRetried: (channel) => void deliveryRetries.at(channels.of(channel)).value++,
    leaseLost: (of) => void leasesLost.at(of).value++,
    rowUnreadable: (table) => void unreadable.at(table).value++,
    render(now) {
      state.set(now, channels);
      return registry.render();
    },
    list: registry.list,
  };
}

const requestFamilies = ({ counter, histogram }: Registry) => ({
  requests: counter(
    "rouse_requests_total",
    "Hook requests by what came of them: accepted, replayed, skipped, handshake, read, or an error's code.",
    ["hook", "code"],
  ),
  requestSeconds: histogram(
    "rouse_request_seconds",
    "From a hook request's head to its response.",
    requestBounds,
    ["result"],
  ),
  storeSeconds: histogram(
    "rouse_store_seconds",
    "How long an accepted request waited for its commit.",
    requestBounds,
  ).at(),
  groups: histogram("rouse_store_group_size", "Requests that shared one commit.", groupBounds).at(),
  authFailures: counter("rouse_auth_failures_total", "Requests with a missing or wrong token.").at(),
  proofFailures: counter("rouse_sender_failures_total", "Requests to senders' hooks that were not proven.", [
    "sender",
    "reason",
  ]),
});

const runFamilies = ({ counter, histogram }: Registry) => ({
  runs: counter("rouse_runs_total", "Hook runs that ended on this node.", ["hook", "agent", "outcome"]),
  runRetries: counter("rouse_run_retries_total", "Failed attempts of runs that are made again.", ["hook"]),
  runSeconds: histogram("rouse_run_seconds", "How long a run's attempts worked, at its end.", workBounds, [
    "kind",
  ]),
  runWait: histogram(
    "rouse_run_wait_seconds",
    "From a hook run's acceptance to its first start.",
    workBounds,
  ).at(),
  heartbeats: counter("rouse_heartbeats_total", "Heartbeats that ended on this node.", ["outcome"]),
});

const deliveryFamilies = ({ counter, histogram }: Registry) => ({
  deliveries: counter("rouse_deliveries_total", "Deliveries that ended on this node.", [
    "channel",
    "outcome",
  ]),
  deliveryRetries: counter("rouse_delivery_retries_total", "Failed attempts to send that are made again.", [
    "channel",
  ]),
  deliverySeconds: histogram("rouse_delivery_seconds", "From a reply's making to its sending.", workBounds, [
    "channel",
  ]),
  leasesLost: counter("rouse_leases_lost_total", "Work that this node had in hand and another took over.", [
    "kind",
  ]),
});

// `rouse runs`: lists runs with their outcomes, and repeats, cancels or releases them.
import { defaultAgent } from "../../config/config.ts";
import { type Run, type RunKind, runStatuses } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Command } from "../command.ts";
import { doneOrThrow } from "../../api/actions/result.ts";
import { cancelRun, retryRun } from "../../api/actions/runs.ts";
import { runResource, shortTime } from "../../api/resources.ts";
import { agentsFlag, given, hookFlag, readAgents, readAllOf, statusFlag } from "../runs/filters.ts";
import { nextTryWords } from "../runs/next-try.ts";
import { releaseFlags, releaseRuns } from "../runs/release.ts";
import { isRetryOfMany, retryFailed, retryFlags } from "../runs/retry-failed.ts";
import { findBy, idHelp } from "../runs/resolve.ts";
import { readOneOf } from "../terminal/arguments.ts";
import { showRun, showRunFlags } from "../timeline/show-run.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";

const kinds: readonly RunKind[] = ["hook", "heartbeat"];

const runFlags = {
  kind: { type: "string", values: kinds },
  ...statusFlag(runStatuses),
  ...hookFlag,
  ...agentsFlag,
} as const;

const runs: Stored<Run, ReturnType<typeof runResource>, typeof runFlags> = {
  one: "run",
  many: "runs",
  kind: "run",
  flags: runFlags,
  columns: [
    { title: "CREATED", value: (run) => shortTime(run.createdAt) },
    { title: "STATUS", value: (run) => run.status },
    { title: "HOOK", value: (run) => run.hook },
    { title: "AGENT", value: (run) => run.agentId },
    { title: "ID", value: (run) => run.id },
    { title: "NAME", value: (run) => run.name },
    { title: "REPLY OR ERROR", value: (run) => run.reply ?? run.error },
  ],
  toResource: runResource,
  toRow: (run) => ({ ...runResource(run), error: nextTryWords(run) ?? run.error }),
  search({ kind = "hook", status, hook, agent }) {
    const wanted = given({
      statuses: readAllOf("--status", status, runStatuses),
      hooks: hook,
      agents: readAgents(agent),
    });
    const ofKind = [readOneOf("--kind", kind, kinds)];
    return (store, page) => store.searchRuns({ ...page, ...wanted, kinds: ofKind });
  },
  single: {
    find: (store, id) => store.findRun(id),
    details: async () => ({}),
    retry: async (store, run) => doneOrThrow(await retryRun(store, run)),
    cancel: async (store, run, config) =>
      doneOrThrow(await cancelRun(store, run, defaultAgent(config.agents.list).id)),
  },
};

const find = (store: Store, written: string): Promise<Run> =>
  findBy(store, { kind: "run", written }, (id) => store.findRun(id));

export const command: Command = {
  name: "runs",
  summary: "list, show, retry, cancel or release runs of agents",
  help: `Usage: rouse runs [--status STATUS]… [--hook NAME]… [--agent ID]… [--since TIME] [--until TIME]
                 [--kind hook|heartbeat] [--limit N | --all] [--json]
       rouse runs show ID [--follow] [--json]
       rouse runs retry|cancel ID [--json]
       rouse runs retry --failed --since TIME [--hook NAME] [--agent ID] [--limit N]
                 [--dry-run] [--yes] [--json]
       rouse runs release [ID] [--hook NAME] [--json]

Lists what agents were asked to do and its outcome, newest first. Works on the store directly,
whether or not a gateway is running. Use it to see why something did not happen, or to repeat it.

  show ID     everything about one run, step by step, each with its time: its request, how long it
              waited and behind which run, its prompt with what was made visible in outside text, its
              attempts with their tool calls, its reply and what it used, summary and deliveries; of a
              running program the last line of its standard error
  retry ID    a new run with the same request as one that has ended; prints the new id
  retry --failed
              the same for every hook run that failed or timed out since then and was not retried yet;
              those that were cancelled are left out. Prints a plan first, and asks on a terminal.
              Stopped in the middle, it can be repeated: no run is retried twice
  cancel ID   ends a waiting run at once; a running one is stopped by its gateway
  release     queues parked runs at once, over their hook's budget: one run, those of a hook, or all;
              otherwise they are queued the next day (UTC)

A run that waits for its next try is queued, and says when that is and why the last one failed.
${idHelp}

Options:
  --status STATUS
                 only queued, parked, running, succeeded, failed, timed-out or cancelled ones; may be
                 repeated, as --hook and --agent
  --hook NAME    only runs of this hook
  --agent ID     only runs of this agent
  --since TIME   only those stored since then: 30m, 1h, 2d, or a time with its zone such as
                 2026-11-19T08:00:00Z
  --until TIME   only those stored before then
  --kind KIND    hook (default), or heartbeat for the turns of the main session
  --limit N      list at most N (default 50)
  --all          list all

Options of show:
  --follow       print the steps as they come until the run has ended; exit code 0 when it succeeded,
                 otherwise 1. Ctrl-C ends it, and not the run. With --json one step a line

Options of retry --failed: --hook and --agent, once each, and
  --since TIME   only those that ended since then
  --limit N      at most N, those that ended first
  --dry-run      print the plan (how many, which hooks and agents) and queue nothing
  --yes          do not ask; needed where nobody can be asked, and with --json

Options of all:
  --json         one JSON array, or one object for a single run
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse runs --limit 10
  rouse runs --status failed --since 1h
  rouse runs show last
  rouse runs show 0198c0de-0000-7000-8000-000000000000 --json
  rouse runs retry --failed --since 1h --dry-run`,
  syntax: {
    ...syntaxOf(runs),
    words: {
      ...syntaxOf(runs).words,
      show: { options: showRunFlags },
      retry: { options: retryFlags },
      release: { options: releaseFlags },
    },
  },
  async run(context) {
    if (context.argv[0] === "release") return releaseRuns(context);
    if (context.argv[0] === "show") return showRun(context, find);
    return isRetryOfMany(context.argv) ? retryFailed(context) : runStored(context, runs);
  },
};

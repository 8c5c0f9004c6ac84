// `rouse requests`: lists what came in and what came of it, shows one, sends it again.
import { type RequestRecord, requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Command } from "../command.ts";
import { requestResource, shortTime } from "../../api/resources.ts";
import { compareConfigs, compareFlags } from "../requests/compare.ts";
import { replayFlags, replayRequests } from "../requests/replay.ts";
import { given, hookFlag, readAllOf, statusFlag } from "../runs/filters.ts";
import { findBy, idHelp } from "../runs/resolve.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";
import { showRequest, showRequestFlags } from "../timeline/show-request.ts";

const requestFlags = {
  ...hookFlag,
  outcome: { type: "string", multiple: true, values: requestOutcomes },
  ...statusFlag(runStatuses),
} as const;

const requests: Stored<RequestRecord, ReturnType<typeof requestResource>, typeof requestFlags> = {
  one: "request",
  many: "requests",
  kind: "request",
  flags: requestFlags,
  columns: [
    { title: "CREATED", value: (request) => shortTime(request.createdAt) },
    { title: "OUTCOME", value: (request) => request.outcome },
    { title: "HOOK", value: (request) => request.hook },
    { title: "TOKEN", value: (request) => request.credential ?? "-" },
    { title: "LED TO", value: ledTo },
    { title: "ID", value: (request) => request.id },
    { title: "REASON", value: (request) => request.reason },
  ],
  toResource: requestResource,
  search({ hook, outcome, status }) {
    const wanted = given({
      hooks: hook,
      outcomes: readAllOf("--outcome", outcome, requestOutcomes),
      statuses: readAllOf("--status", status, runStatuses),
    });
    return (store, page) => store.searchRequests({ ...page, ...wanted });
  },
};

function ledTo({ runIds, eventIds }: ReturnType<typeof requestResource>): string {
  const counted = (count: number, name: string) => (count === 1 ? name : `${count} ${name}s`);
  const runs = runIds.length > 0 ? [counted(runIds.length, "run")] : [];
  const events = eventIds.length > 0 ? [counted(eventIds.length, "event")] : [];
  return [...runs, ...events].join(", ") || "-";
}

const find = (store: Store, written: string): Promise<RequestRecord> =>
  findBy(store, { kind: "request", written }, (id) => store.findRequest(id));

export const command: Command = {
  name: "requests",
  summary: "list, show, replay or compare what came in",
  help: `Usage: rouse requests [--hook NAME]… [--outcome OUTCOME]… [--status STATUS]… [--since TIME]
                 [--until TIME] [--limit N | --all] [--json]
       rouse requests show ID [--full] [--body] [--json]
       rouse requests replay ID [--payload FILE] [--json]
       rouse requests replay --since TIME [--until TIME] [--hook NAME]… [--outcome OUTCOME]…
                 [--status STATUS]… [--limit N] [--per-minute N] [--again] [--dry-run] [--yes] [--json]
       rouse requests compare FILE --since TIME [--until TIME] [--hook NAME]… [--outcome OUTCOME]…
                 [--status STATUS]… [--limit N] [--transforms] [--json]

Lists requests with a right token, or a sender's proof, newest first, each with what it led to or why it
led to nothing: accepted, repeated (it has the key of an earlier one), skipped (a mapping decided that
there is nothing to do), refused (it cannot be used; a sender hears that it was taken), failed (a mapping
failed) or full (too many runs were waiting). TOKEN is the name of the token that it came with, - for
hooks.token. Use it when a sender reports success and nothing happened here.

  show ID     what became of one request, step by step, each with its time: received, decided (which
              mapping took it, and what its filters met), stored, waited, prompt, attempts with their
              tool calls, reply, summary, deliveries. What did not happen says why
  replay ID   sends a kept request again, with its kept body, through the present config: as a new
              request with new ids, past the proof and without its old key. With --payload, that
              JSON is sent in place of the body
  replay --since
              the same for every kept request since then, oldest first, but for replays, and for those
              of which a replay was accepted before. Prints a plan first (outcomes, agents, what past
              runs have cost), and asks on a terminal. Ctrl-C stops it; it then says how to go on
  compare FILE
              which requests the config in FILE would decide otherwise: by another mapping, with
              another outcome, for another agent, session key or channel. Stores nothing

${idHelp}

Options of the list, of replay and of compare:
  --hook NAME    only requests to this hook; may be repeated
  --outcome OUTCOME
                 only accepted, repeated, skipped, refused, failed or full ones; may be repeated
  --status STATUS
                 only those that led to a run of this status; may be repeated
  --since TIME   30m, 1h, 2d, or a time with its zone such as 2026-11-19T08:00:00Z
  --until TIME   likewise; without it, up to now
  --limit N      list at most N (default 50); with replay and compare: at most N, the oldest

Options of the list:
  --all          list all

Options of show:
  --full         also the visible headers, and the whole reply
  --body         the body as it came, and nothing else; a terminal gets it without control characters

Options of replay:
  --payload FILE a JSON payload in place of the kept body, for one request; - is standard input
  --per-minute N how many a minute (default 60)
  --again        also those of which a replay was accepted before
  --batch ID     go on with this batch: what it has replayed is not replayed twice
  --dry-run      print the plan and replay nothing
  --yes          do not ask; needed where nobody can be asked, and with --json

Options of compare:
  --transforms   run the transforms of both configs; without it, of such requests only the mapping is
                 compared, because a transform may act

Options of all:
  --json         one JSON array, or one object for a single request
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse requests --hook github --since 1h
  rouse requests --outcome refused --outcome failed --json
  rouse requests show last
  rouse requests replay --hook github --since 1d --outcome skipped --dry-run
  rouse requests compare rouse.new.jsonc --since 7d`,
  syntax: {
    ...syntaxOf(requests),
    words: {
      ...syntaxOf(requests).words,
      show: { options: showRequestFlags },
      replay: { options: replayFlags },
      compare: { options: compareFlags },
    },
  },
  async run(context) {
    const [verb, ...argv] = context.argv;
    if (verb === "show") return showRequest(context, find);
    if (verb === "replay") return replayRequests({ ...context, argv });
    if (verb === "compare") return compareConfigs({ ...context, argv });
    return runStored(context, requests);
  },
};

// `rouse requests`: lists requests with a valid token that led to nothing, and why.
import { UsageError } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Command } from "../command.ts";
import { requestResource, shortTime } from "../../api/resources.ts";
import { compareConfigs, compareFlags } from "../requests/compare.ts";
import { replayFlags, replayRequests } from "../requests/replay.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";
import { showRequest, showRequestFlags } from "../timeline/show-request.ts";

const requests: Stored<RequestRecord, ReturnType<typeof requestResource>> = {
  one: "request",
  many: "requests",
  flags: {},
  columns: [
    { title: "CREATED", value: (request) => shortTime(request.createdAt) },
    { title: "OUTCOME", value: (request) => request.outcome },
    { title: "HOOK", value: (request) => request.hook },
    { title: "TOKEN", value: (request) => request.credential ?? "-" },
    { title: "ID", value: (request) => request.id },
    { title: "REASON", value: (request) => request.reason },
  ],
  toResource: requestResource,
  list: (store, page) => store.listRequests(page),
};

async function find(store: Store, id: string): Promise<RequestRecord> {
  const request = await store.findRequest(id);
  if (request === null) throw new UsageError(`There is no request with the id ${id}. Ids are given whole.`);
  return request;
}

export const command: Command = {
  name: "requests",
  summary: "list requests that led to nothing, with the reason",
  help: `Usage: rouse requests [--limit N | --all] [--json]
       rouse requests show ID [--full] [--body] [--json]
       rouse requests replay ID [--payload FILE] [--json]
       rouse requests replay --since TIME [--until TIME] [--hook NAME]… [--outcome OUTCOME]…
                 [--status STATUS]… [--limit N] [--per-minute N] [--again] [--dry-run] [--yes] [--json]
       rouse requests compare FILE --since TIME [--until TIME] [--hook NAME]… [--outcome OUTCOME]…
                 [--status STATUS]… [--limit N] [--transforms] [--json]

Lists requests with a valid token, or a sender's proof, that produced neither a note nor a run, newest
first: skipped (a mapping decided that there is nothing to do), failed (a mapping failed) or refused (a
sender's delivery that cannot be used: the sender hears that it was taken), each with its reason. TOKEN
is the name of the token that it came with, - for hooks.token. Use it when a sender reports success and
nothing happened here.

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

Options:
  --limit N      list at most N (default 50); with replay and compare: at most N, the oldest
  --all          list all

Options of show:
  --full         also the visible headers, and the whole reply
  --body         the body as it came, and nothing else; a terminal gets it without control characters

Options of replay and compare:
  --since TIME   30m, 1h, 2d, or a time with its zone such as 2026-11-19T08:00:00Z
  --until TIME   likewise; without it, up to now
  --hook NAME    only requests to this hook; may be repeated
  --outcome OUTCOME
                 only accepted, skipped, refused, failed, full or repeated ones; may be repeated
  --status STATUS
                 only those that led to a run of this status; may be repeated

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
  rouse requests
  rouse requests --all --json
  rouse requests show 0198c0de-0000-7000-8000-000000000000
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

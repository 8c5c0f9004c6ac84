// `rouse requests`: lists requests with a valid token that led to nothing, and why.
import { UsageError } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Command } from "../command.ts";
import { requestResource, shortTime } from "../../api/resources.ts";
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

Lists requests with a valid token, or a sender's proof, that produced neither a note nor a run, newest
first: skipped (a mapping decided that there is nothing to do), failed (a mapping failed) or refused (a
sender's delivery that cannot be used: the sender hears that it was taken), each with its reason. TOKEN
is the name of the token that it came with, - for hooks.token. Use it when a sender reports success and
nothing happened here.

  show ID     what became of one request, step by step, each with its time: received, decided (which
              mapping took it, and what its filters met), stored, waited, prompt, attempts with their
              tool calls, reply, summary, deliveries. What did not happen says why

Options:
  --limit N      list at most N (default 50)
  --all          list all
  --json         one JSON array, or one object for a single request

Options of show:
  --full         also the visible headers, and the whole reply
  --body         the body as it came, and nothing else; a terminal gets it without control characters

Options of all:
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse requests
  rouse requests --all --json
  rouse requests show 0198c0de-0000-7000-8000-000000000000`,
  syntax: {
    ...syntaxOf(requests),
    words: { ...syntaxOf(requests).words, show: { options: showRequestFlags } },
  },
  run: (context) => (context.argv[0] === "show" ? showRequest(context, find) : runStored(context, requests)),
};

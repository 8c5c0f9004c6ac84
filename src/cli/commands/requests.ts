// `rouse requests`: lists requests with a valid token that led to nothing, and why.
import type { RequestRecord } from "../../core/request.ts";
import type { Command } from "../command.ts";
import { requestResource, shortTime } from "../../api/resources.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";

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

export const command: Command = {
  name: "requests",
  summary: "list requests that led to nothing, with the reason",
  help: `Usage: rouse requests [--limit N | --all] [--json]

Lists requests with a valid token, or a sender's proof, that produced neither a note nor a run, newest
first: skipped (a mapping decided that there is nothing to do), failed (a mapping failed) or refused (a
sender's delivery that cannot be used: the sender hears that it was taken), each with its reason. TOKEN
is the name of the token that it came with, - for hooks.token. Use it when a sender reports success and
nothing happened here.

Options:
  --limit N      list at most N (default 50)
  --all          list all
  --json         one JSON array
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse requests
  rouse requests --all --json`,
  syntax: syntaxOf(requests),
  run: (context) => runStored(context, requests),
};

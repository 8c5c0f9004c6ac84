// `rouse requests`: requests with a right token that led to nothing, and why.
import type { RequestRecord } from "../../core/request.ts";
import type { Command } from "../command.ts";
import { requestResource, shortTime } from "../../api/resources.ts";
import { runStored, type Stored } from "../runs/stored.ts";

const requests: Stored<RequestRecord, ReturnType<typeof requestResource>> = {
  one: "request",
  many: "requests",
  flags: {},
  columns: [
    { title: "CREATED", value: (request) => shortTime(request.createdAt) },
    { title: "OUTCOME", value: (request) => request.outcome },
    { title: "HOOK", value: (request) => request.hook },
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

Shows requests with a right token that produced neither a note nor a run, newest first: skipped (a
mapping said there is nothing to do) or failed (a mapping broke), each with its reason. Use it when
a sender reports success and nothing happened here.

Options:
  --limit N      at most so many (default 50)
  --all          every one
  --json         one JSON array
  --config FILE  another config than the one in ROUSE_HOME

Examples:
  rouse requests
  rouse requests --all --json`,
  run: (context) => runStored(context, requests),
};

// `rouse events`: lists the notes for the main session, and shows, repeats or cancels one.
import type { SystemEvent } from "../../core/system-event.ts";
import type { Command } from "../command.ts";
import { cancelEvent, retryEvent } from "../../api/actions/events.ts";
import { doneOrThrow } from "../../api/actions/result.ts";
import { eventResource, shortTime } from "../../api/resources.ts";
import { printEvent } from "../timeline/show-item.ts";
import { eventStatuses } from "../../store/ports/search.ts";
import { given, hookFlag, readAllOf, statusFlag } from "../runs/filters.ts";
import { idHelp } from "../runs/resolve.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";

const eventFlags = { ...statusFlag(eventStatuses), ...hookFlag } as const;

const events: Stored<SystemEvent, ReturnType<typeof eventResource>, typeof eventFlags> = {
  one: "event",
  many: "events",
  kind: "event",
  flags: eventFlags,
  columns: [
    { title: "CREATED", value: (event) => shortTime(event.createdAt) },
    { title: "SHOWN", value: (event) => shortTime(event.shownAt) ?? "waiting" },
    { title: "HOOK", value: (event) => event.hook },
    { title: "ID", value: (event) => event.id },
    { title: "TEXT", value: (event) => event.text },
  ],
  toResource: eventResource,
  search({ status, hook }) {
    const wanted = given({ statuses: readAllOf("--status", status, eventStatuses), hooks: hook });
    return (store, page) => store.searchEvents({ ...page, ...wanted });
  },
  single: {
    find: (store, id) => store.findEvent(id),
    details: async () => ({}),
    print: printEvent,
    retry: async (store, event) => doneOrThrow(await retryEvent(store, event)),
    cancel: async (store, event) => doneOrThrow(await cancelEvent(store, event)),
  },
};

export const command: Command = {
  name: "events",
  summary: "list, show, retry or cancel notes for the main session",
  help: `Usage: rouse events [--status waiting|shown] [--hook NAME]… [--since TIME] [--until TIME]
                   [--limit N | --all] [--json]
       rouse events show|retry|cancel ID [--json]

Lists the notes for the main session, newest first: those of wake requests, and the summary of every
hook run. A note waits until a turn that showed it has succeeded. Works on the store directly,
whether or not a gateway is running.

  show ID     one note with its full text
  retry ID    the next heartbeat shows it again
  cancel ID   it is never shown

${idHelp}

Options:
  --status STATUS
                 only waiting ones, or only shown ones
  --hook NAME    only notes of this hook; may be repeated
  --since TIME   only those stored since then: 30m, 1h, 2d, or a time with its zone such as
                 2026-11-19T08:00:00Z
  --until TIME   only those stored before then
  --limit N      list at most N (default 50)
  --all          list all
  --json         one JSON array, or one object for a single note
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse events --status waiting
  rouse events cancel 0198c0de-0000-7000-8000-000000000000`,
  syntax: syntaxOf(events),
  run: (context) => runStored(context, events),
};

// `rouse logs`: what happens, a line for each moment, read from the store.
import type { Command, Context } from "../command.ts";
import { withStore } from "../open/store.ts";
import { configFlag, jsonFlag, readArguments, readWholeNumber, refuseMore } from "../terminal/arguments.ts";
import { noteLine, painter, printJson, type Style } from "../terminal/output.ts";
import { readSince, sinceMoment } from "../terminal/since.ts";
import { fit, safeLine } from "../terminal/text.ts";
import { createLogReader } from "../timeline/log-reader.ts";
import type { Moment } from "../timeline/moments.ts";
import { createPauses } from "../timeline/pause.ts";

const flags = {
  ...configFlag,
  ...jsonFlag,
  follow: { type: "boolean" },
  since: { type: "string" },
  hook: { type: "string" },
  limit: { type: "string" },
} as const;

const usualLimit = 50;
const pollMs = 1000;

function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  const written = values.since === undefined ? null : readSince(values.since);
  const limit = values.limit === undefined ? null : readWholeNumber("--limit", values.limit, 1, 100_000);
  const { hook = null, follow = false, json = false } = values;
  return withStore(context, values.config, async (store) => {
    const since = written === null ? null : sinceMoment(written, await store.databaseTime());
    const most = limit ?? (since === null ? usualLimit : Number.MAX_SAFE_INTEGER);
    const print = json ? (moment: Moment) => printMomentJson(context, moment) : createPrinter(context);
    const reader = createLogReader(store, { since, hook, rows: Math.min(most, 1000) });
    const first = await reader.read();
    for (const moment of first.slice(Math.max(0, first.length - most))) print(moment);
    if (first.length === 0 && !json) noteLine(context, "Nothing has happened in this time.");
    const pauses = createPauses(context);
    while (follow && !pauses.isStopped) {
      await pauses.wait(pollMs);
      if (!pauses.isStopped) for (const moment of await reader.read()) print(moment);
    }
    return 0;
  });
}

const printMomentJson = (context: Context, { at, kind, id, status, hook, text }: Moment): void =>
  printJson(context, { at: new Date(at).toISOString(), kind, id, status, hook, text });

const styles: Readonly<Record<string, Style>> = {
  succeeded: "green",
  sent: "green",
  failed: "red",
  "timed-out": "red",
  refused: "yellow",
  full: "yellow",
  parked: "yellow",
  retry: "yellow",
  unknown: "yellow",
};

/** TIME KIND STATUS HOOK ID TEXT: all but the last as wide as they can be, so that lines align as they come. */
function createPrinter(context: Context): (moment: Moment) => void {
  const paint = painter(context);
  return ({ at, kind, id, status, hook, text }) => {
    const style = styles[status];
    const word = status.padEnd(10);
    const shownHook = fit(safeLine(hook ?? "-"), 16).padEnd(16);
    const before = `${new Date(at).toISOString()} ${kind.padEnd(8)} `;
    const rest = ` ${shownHook} ${safeLine(id)} ${safeLine(text)}`;
    const left =
      context.columns === null ? null : Math.max(20, context.columns - before.length - word.length);
    context.stdout.write(
      `${paint("dim", before)}${style ? paint(style, word) : word}${left === null ? rest : fit(rest, left)}\n`,
    );
  };
}

export const command: Command = {
  name: "logs",
  summary: "show what happens: requests, runs and deliveries, a line each",
  help: `Usage: rouse logs [--follow] [--since TIME] [--hook NAME] [--limit N] [--json]

Prints a line for each moment, newest last: a request was accepted, repeated, skipped or refused; a
run began, waits for its next try, is parked, or ended; a reply was sent, or was not. It is read from
the store, of all nodes together, whether or not a gateway is running; the log of the gateway itself
is on its standard error. What became of one of them: rouse requests show ID, rouse runs show ID.

Options:
  --follow       go on, and print what happens as it happens; Ctrl-C ends it
  --since TIME   of everything stored since then: 30m, 1h, 2d, or a time with its zone such as
                 2026-11-19T08:00:00Z (default: the newest lines)
  --hook NAME    only of this hook
  --limit N      at most N lines before it follows (default 50, without a limit with --since)
  --json         one JSON object a line
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse logs --follow
  rouse logs --since 1h --hook github --json`,
  syntax: { options: flags },
  run,
};

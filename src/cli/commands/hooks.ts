// `rouse hooks`: lists the hooks of the config, and pauses or resumes one.
import type { Config } from "../../config/config.ts";
import { pauseHook, resumeHook } from "../../api/actions/hooks.ts";
import { doneOrThrow } from "../../api/actions/result.ts";
import { hooksOf } from "../../api/routes/hooks.ts";
import { shortTime } from "../../api/resources.ts";
import { UsageError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { PausedHook } from "../../store/ports/hooks.ts";
import { type Command, type Context, oneOf, WrongUsage } from "../command.ts";
import { withStore } from "../open/store.ts";
import { configFlag, jsonFlag, readArguments, refuseMore, unknownVerb } from "../terminal/arguments.ts";
import { printJson, printJsonList, printLine } from "../terminal/output.ts";
import { type Column, formatTable } from "../terminal/table.ts";

const flags = { ...configFlag, ...jsonFlag } as const;
const actions = { pause: pauseHook, resume: resumeHook } as const;
const isAction = (verb: string): verb is keyof typeof actions => Object.hasOwn(actions, verb);

type Row = ReturnType<typeof hooksOf>[number] & { pausedAt: string | null };

const columns: readonly Column<Row>[] = [
  { title: "HOOK", value: ({ name }) => name },
  { title: "KIND", value: ({ kind, senderKind }) => (senderKind === null ? kind : `${kind} ${senderKind}`) },
  { title: "STATE", value: ({ pausedAt }) => (pausedAt === null ? "open" : `paused ${shortTime(pausedAt)}`) },
  { title: "MAPPINGS", value: ({ mappings }) => mappings.join(", ") || "-" },
];

/** A paused hook that the config does not name can still be resumed, so it is listed, too. */
function rowsOf(config: Config, paused: readonly PausedHook[]): Row[] {
  const configured = hooksOf({ config });
  const others = paused
    .filter(({ hook }) => !configured.some(({ name }) => name === hook))
    .map(({ hook }) => ({ name: hook, kind: "mapped" as const, senderKind: null, mappings: [] }));
  const since = new Map(paused.map(({ hook, pausedAt }) => [hook, new Date(pausedAt).toISOString()]));
  return [...configured, ...others].map((each) => ({ ...each, pausedAt: since.get(each.name) ?? null }));
}

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [verb = "list", name] = positionals;
  const json = values.json === true;
  if (verb === "list") {
    refuseMore(positionals, 1);
    return withStore(context, values.config, async (store, config) => {
      const rows = rowsOf(config, await store.pausedHooks());
      if (json) printJsonList(context, rows);
      else context.stdout.write(formatTable(columns, rows, context.columns));
      return 0;
    });
  }
  if (!isAction(verb)) throw unknownVerb(verb, ["list", ...Object.keys(actions)]);
  if (name === undefined) throw new WrongUsage(`Which hook? Give its name: hooks ${verb} NAME`);
  refuseMore(positionals, 2);
  return withStore(context, values.config, async (store, config) => {
    refuseUnknown(
      name,
      config,
      rowsOf(config, await store.pausedHooks()).map((row) => row.name),
    );
    context.audit({ verb: `hook.${verb}`, subject: name, store: config.store });
    const { sentence, value } = doneOrThrow(await actions[verb](store, name));
    if (json) printJson(context, value);
    else printLine(context, sentence);
    return 0;
  });
}

/** A mapping without a path takes any name. */
function refuseUnknown(name: string, { hooks }: Config, known: readonly string[]): void {
  const takesAny = hooks.mappings.some(({ match }) => match.path === null);
  if (known.includes(name) || takesAny) return;
  const near = nearest(name, known);
  throw new UsageError(
    `There is no hook ${name}.${near ? ` Did you mean ${near}?` : ""} List them: rouse hooks`,
  );
}

export const command: Command = {
  name: "hooks",
  summary: "list hooks, pause or resume one",
  help: `Usage: rouse hooks [--json]
       rouse hooks pause|resume NAME [--json]

Lists the hooks of the config: wake and agent, those of mappings, of senders and of mail. Works on the
store directly, whether or not a gateway is running.

  pause NAME   its requests are still accepted and stored, and none of its runs starts: each is parked
               when its turn comes. What runs goes on. A wake leaves its note and asks for no heartbeat.
               A conversation with a parked run waits behind it
  resume NAME  queues what was parked, under its budget as usual

Options:
  --json         one JSON array, or one object for a change
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse hooks
  rouse hooks pause github
  rouse hooks resume github`,
  syntax: { options: flags, words: oneOf(["list", "pause", "resume"], flags) },
  run,
};

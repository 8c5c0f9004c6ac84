// `rouse sessions`: lists, shows and resets sessions, and sets the main session's target.
import { defaultAgent } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import { platforms, type Target } from "../../core/target.ts";
import { configFlag, jsonFlag, readArguments, refuseMore, unknownVerb } from "../terminal/arguments.ts";
import { type Command, type Context, oneOf, WrongUsage } from "../command.ts";
import { openChannelsOf, readChannelName, refuseRecipient } from "../open/channels.ts";
import { readLimit } from "../runs/stored.ts";
import { readTimes, timeFlags, type WrittenTimes } from "../runs/filters.ts";
import { collectFound } from "../../store/create/searches.ts";
import type { SessionPosition } from "../../store/ports/search.ts";
import type { Session } from "../../core/transcript.ts";
import { withStore } from "../open/store.ts";
import { noteLine, printJson, printJsonList, printLine } from "../terminal/output.ts";
import { sessionResource, shortTime, turnResource } from "../../api/resources.ts";
import { type Loaded, loadSettings } from "../open/settings.ts";
import { formatTable } from "../terminal/table.ts";

const common = { ...configFlag, ...jsonFlag } as const;
const limitFlag = { limit: { type: "string" } } as const;
const agentFlag = { agent: { type: "string" } } as const;
const listFlags = { ...common, ...agentFlag, ...timeFlags, ...limitFlag, all: { type: "boolean" } } as const;
type Options = WrittenTimes & {
  config: string | undefined;
  json: boolean;
  agent: string | undefined;
  limit: number | null;
};

const verbs: Readonly<
  Record<string, (context: Context, rest: string[], options: Options) => Promise<number>>
> = {
  list,
  show,
  reset,
  target,
};

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, listFlags);
  const [verb = "list", ...rest] = positionals;
  const chosen = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!chosen) throw unknownVerb(verb, Object.keys(verbs));
  return chosen(context, rest, {
    config: values.config,
    json: values.json === true,
    agent: values.agent?.trim().toLowerCase(),
    limit: readLimit(values),
    since: values.since,
    until: values.until,
  });
}

function list(
  context: Context,
  rest: string[],
  { config, json, agent, limit, ...written }: Options,
): Promise<number> {
  refuseMore(rest, 0);
  const timesOf = readTimes(written);
  const wanted = agent === undefined ? {} : { agents: [agent] };
  return withStore(context, config, async (store) => {
    const times = await timesOf(store);
    const found = await collectFound<Session, SessionPosition>(limit, (page) =>
      store.searchSessions({ ...page, ...times, ...wanted }),
    );
    const sessions = found.map(sessionResource);
    if (json) printJsonList(context, sessions);
    else if (sessions.length === 0) printLine(context, "No sessions.");
    else
      context.stdout.write(
        formatTable(
          [
            { title: "LAST USED", value: ({ lastAt }) => shortTime(lastAt) },
            { title: "AGENT", value: ({ agentId }) => agentId },
            { title: "TURNS", value: ({ turns }) => String(turns) },
            { title: "SESSION KEY", value: ({ sessionKey }) => sessionKey },
          ],
          sessions,
          context.columns,
        ),
      );
    return 0;
  });
}

const keyOf = (rest: readonly string[], verb: string): string => {
  refuseMore(rest, 1);
  const [key] = rest;
  if (key === undefined) throw new WrongUsage(`Which session? sessions ${verb} KEY`);
  return key;
};

function show(context: Context, rest: string[], { config, json, agent }: Options): Promise<number> {
  const sessionKey = keyOf(rest, "show");
  return withStore(context, config, async (store, settings) => {
    const agentId = agent ?? defaultAgent(settings.agents.list).id;
    const turns = (await store.listTurns({ agentId, sessionKey })).map(turnResource);
    if (turns.length === 0) throw new UsageError(unknownSession(agentId, sessionKey));
    if (json) printJsonList(context, turns);
    else
      for (const turn of turns) {
        const note = turn.compacted ? ", no longer carried" : "";
        printLine(context, `${shortTime(turn.createdAt)} ${turn.role}${note}`);
        printLine(context, `${turn.text.replace(/^/gm, "  ")}\n`);
      }
    return 0;
  });
}

function reset(context: Context, rest: string[], { config, json, agent }: Options): Promise<number> {
  const sessionKey = keyOf(rest, "reset");
  return withStore(context, config, async (store, settings) => {
    const agentId = agent ?? defaultAgent(settings.agents.list).id;
    const subject = `${agentId} ${sessionKey}`;
    context.audit({ verb: "session.reset", subject, store: settings.store });
    if (!(await store.resetSession({ agentId, sessionKey })))
      throw new UsageError(unknownSession(agentId, sessionKey));
    if (json) printJson(context, { agentId, sessionKey, reset: true });
    else printLine(context, "The next turn of this session starts without its history, which stays stored.");
    return 0;
  });
}

const unknownSession = (agentId: string, sessionKey: string): string =>
  `The agent ${agentId} has no session ${sessionKey}. List them: rouse sessions list (for another agent: --agent ID)`;

async function target(context: Context, rest: string[], { config, json }: Options): Promise<number> {
  refuseMore(rest, 2);
  const loaded = await loadSettings(context, config);
  const wanted = await readTarget(context, rest, loaded);
  return withStore(context, config, async (store, settings) => {
    if (wanted !== undefined) {
      const subject = wanted?.channel ?? "none";
      context.audit({ verb: "session.target", subject, store: settings.store });
      await store.setLastTarget(wanted);
    }
    const found = await store.lastTarget();
    if (json) printJson(context, found);
    else
      printLine(
        context,
        found
          ? `The main session's replies go to ${found.to} on ${found.channel}.`
          : "The main session has no recipient: its replies are stored and sent to nobody.",
      );
    return 0;
  });
}

/** Undefined when the target is only to be shown, null to remove it. */
async function readTarget(
  context: Context,
  [written, to]: readonly string[],
  loaded: Loaded,
): Promise<Target | null | undefined> {
  if (written === undefined) return undefined;
  if (written === "none" && to === undefined) return null;
  const channels = await openChannelsOf(loaded);
  const name = readChannelName(written, channels);
  const recipient = to?.trim();
  if (!recipient) throw new WrongUsage(`Who on ${name}? sessions target ${name} TO`);
  const channel = channels.find(name);
  if (channel) refuseRecipient(channel, name, recipient);
  else
    noteLine(
      context,
      `${name} is not configured: until it is, replies are stored and not sent. See docs/channels.md`,
    );
  return { channel: name, to: recipient };
}

export const command: Command = {
  name: "sessions",
  summary: "list, show or reset conversations; set the main session's target",
  help: `Usage: rouse sessions [list] [--agent ID] [--since TIME] [--until TIME] [--limit N | --all] [--json]
       rouse sessions show|reset KEY [--agent ID] [--json]
       rouse sessions target [CHANNEL TO | none] [--json]

A session is the transcript of one session key of one agent. Runs with an explicit key continue it;
runs under the default or a generated key are listed here too, but later runs do not see them.

  list          sessions, last used first
  show KEY      its turns, oldest first; "no longer carried" marks those that a summary replaces
  reset KEY     the next turn starts without the history, which stays stored
  target        the main session's last recipient: gets the replies of its heartbeats and of runs
                whose channel is "last"; none removes it

Channels: ${platforms.join(", ")},
and the ids of your own in channels.plugins

Options:
  --agent ID     the agent whose session it is (default: the default agent); of the list, only its sessions
  --since TIME   list only those used since then: 30m, 1h, 2d, or a time with its zone such as
                 2026-11-19T08:00:00Z
  --until TIME   list only those last used before then
  --limit N      list at most N sessions (default 50)
  --all          list all
  --json         print JSON
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse sessions
  rouse sessions show main
  rouse sessions target telegram 12345
  rouse sessions target telegram -- -100200300   (a recipient that begins with a dash)`,
  syntax: {
    options: listFlags,
    words: {
      list: { options: listFlags },
      ...oneOf(["show", "reset"], { ...common, ...agentFlag }),
      target: { options: common, words: oneOf([...platforms, "none"], common) },
    },
  },
  run,
};

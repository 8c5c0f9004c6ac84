// `rouse sessions`: who hears from the main session.
import { platforms } from "../core/target.ts";
import { nearest } from "../config/nearest.ts";
import type { Target } from "../core/target.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "./arguments.ts";
import { type Command, type Context, WrongUsage } from "./command.ts";
import { withStore } from "./open-store.ts";
import { printJson, printLine } from "./output.ts";

/** Undefined: only show it. */
function readTarget(positionals: readonly string[]): Target | null | undefined {
  const [channel, to] = positionals;
  if (channel === undefined) return undefined;
  if (channel === "none" && to === undefined) return null;
  const platform = platforms.find((each) => each === channel.toLowerCase());
  if (!platform) {
    const near = nearest(channel, platforms);
    const hint = near ? `Did you mean ${near}?` : `Those there are: ${platforms.join(", ")}`;
    throw new WrongUsage(`There is no channel ${channel}. ${hint}`);
  }
  const recipient = to?.trim();
  if (!recipient) throw new WrongUsage(`Who on ${platform}? sessions target ${platform} TO`);
  return { channel: platform, to: recipient };
}

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context.argv, { ...configFlag, ...jsonFlag });
  const [verb, ...rest] = positionals;
  if (verb !== "target") throw new WrongUsage("Say what to do: sessions target");
  refuseMore(rest, 2);
  const wanted = readTarget(rest);
  return withStore(context, values.config, async (store) => {
    if (wanted !== undefined) await store.setLastTarget(wanted);
    const target = await store.lastTarget();
    if (values.json) printJson(context, target);
    else
      printLine(
        context,
        target
          ? `The main session's replies go to ${target.to} on ${target.channel}.`
          : "The main session has no recipient: its replies are recorded, and go to nobody.",
      );
    return 0;
  });
}

export const command: Command = {
  name: "sessions",
  summary: "show or set who hears from the main session",
  help: `Usage: rouse sessions target [CHANNEL TO | none] [--json]

The target is the main session's last recipient: what its heartbeats have to say goes there, and so
do replies of runs whose channel is "last". Without more words, shows it; none takes it away.

Channels: ${platforms.join(", ")}

Options:
  --json         the target as JSON: {"channel":…,"to":…}, or null
  --config FILE  another config than the one in ROUSE_HOME

Examples:
  rouse sessions target telegram 12345
  rouse sessions target telegram -- -100200300   (a recipient that begins with a dash)
  rouse sessions target none`,
  run,
};

// `rouse channels`: lists the channels, and sends a test message through one.
import { outcomeFields, sendTest, testText } from "../../api/actions/channels.ts";
import type { SendOutcome } from "../../core/delivery.ts";
import { UsageError } from "../../core/errors.ts";
import { platforms } from "../../core/target.ts";
import { configFlag, jsonFlag, readArguments, refuseMore, unknownVerb } from "../terminal/arguments.ts";
import { type Command, type Context, oneOf, WrongUsage } from "../command.ts";
import { openChannelsOf, readChannelName, refuseRecipient } from "../open/channels.ts";
import { printJson, printJsonList, printLine } from "../terminal/output.ts";
import { loadSettings } from "../open/settings.ts";
import { formatTable } from "../terminal/table.ts";

const flags = { ...configFlag, ...jsonFlag, to: { type: "string" } } as const;
type Options = { config: string | undefined; json: boolean; to: string | undefined };

const verbs: Readonly<
  Record<string, (context: Context, rest: string[], options: Options) => Promise<number>>
> = { list, test };

const timeoutMs = 60_000;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [verb = "list", ...rest] = positionals;
  const chosen = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!chosen) throw unknownVerb(verb, Object.keys(verbs));
  return chosen(context, rest, { config: values.config, json: values.json === true, to: values.to });
}

async function list(context: Context, rest: string[], { config, json }: Options): Promise<number> {
  refuseMore(rest, 0);
  const channels = await openChannelsOf(await loadSettings(context, config));
  const resources = channels.configured().map(({ channel, to }) => ({
    channel,
    kind: platforms.some((each) => each === channel) ? "built in" : "plugin",
    to,
  }));
  if (json) printJsonList(context, resources);
  else if (resources.length === 0)
    printLine(
      context,
      "No channels are configured: replies are stored and sent to nobody. See docs/channels.md",
    );
  else
    context.stdout.write(
      formatTable(
        [
          { title: "CHANNEL", value: ({ channel }) => channel },
          { title: "KIND", value: ({ kind }) => kind },
          { title: "DEFAULT RECIPIENT", value: ({ to }) => to ?? "-" },
        ],
        resources,
        context.columns,
      ),
    );
  return 0;
}

async function test(context: Context, rest: string[], options: Options): Promise<number> {
  refuseMore(rest, 2);
  const [written, text = testText] = rest;
  if (written === undefined) throw new WrongUsage("Which channel? channels test CHANNEL --to RECIPIENT");
  if (text.trim() === "") throw new WrongUsage("The text must not be blank.");
  const loaded = await loadSettings(context, options.config);
  const channels = await openChannelsOf(loaded);
  const name = readChannelName(written, channels);
  const channel = channels.find(name);
  if (!channel)
    throw new UsageError(`${name} is not configured: add it under channels in ${loaded.config.file}`);
  const to = options.to?.trim() || channels.configured().find((each) => each.channel === name)?.to;
  if (!to) throw new WrongUsage(`Who on ${name}? It has no default recipient: add --to RECIPIENT`);
  refuseRecipient(channel, name, to);
  const { outcome, sentMessages } = await sendTest(channel, to, text, stopSignal(context));
  if (options.json)
    printJson(context, { channel: name, to, outcome: outcome.kind, sentMessages, ...outcomeFields(outcome) });
  else printLine(context, sentenceFor(outcome, name, to));
  return outcome.kind === "sent" ? 0 : 1;
}

function stopSignal({ onStopSignal }: Context): AbortSignal {
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  return AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]);
}

function sentenceFor(outcome: SendOutcome, name: string, to: string): string {
  const { reason, retryAfterSeconds } = outcomeFields(outcome);
  switch (outcome.kind) {
    case "sent":
      return `Sent to ${to} on ${name}.`;
    case "rejected":
      return `Not sent: ${reason}.`;
    case "unknown":
      return `It may have been sent, check on ${name}: ${reason}.`;
    case "retry": {
      const when = retryAfterSeconds === null ? "later" : `in ${retryAfterSeconds} seconds`;
      return `Not sent, try again ${when}: ${reason}.`;
    }
  }
}

export const command: Command = {
  name: "channels",
  summary: "list the channels, or send a test message through one",
  help: `Usage: rouse channels [list] [--json]
       rouse channels test CHANNEL [--to RECIPIENT] [TEXT] [--json]

Lists where replies can go, or sends a test message. The test message is a real one: it goes straight
to the platform, is not stored and is tried once. When it is refused, the reason is printed. Needs no
running gateway. Exit code 1 when it was not sent, or when that is not known.

  list            the channels in the config, each with its default recipient
  test CHANNEL    sends TEXT, or a sentence that says it is a test

Options:
  --to RECIPIENT  who gets it, as the platform writes recipients (default: the channel's own)
  --json          print JSON
  --config FILE   the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse channels
  rouse channels test telegram --to 12345
  rouse channels test slack --to C0123456789 "**Hello** from Rouse"`,
  syntax: {
    options: { ...configFlag, ...jsonFlag },
    words: {
      list: { options: { ...configFlag, ...jsonFlag } },
      test: { options: flags, words: oneOf(platforms, flags) },
    },
  },
  run,
};

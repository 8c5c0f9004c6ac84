// `rouse explain`: shows what a request to a hook would do, without sending or storing anything.
import { UsageError } from "../../core/errors.ts";
import type { ExplainedRequest, ExplainParts } from "../../hooks/explain/explain.ts";
import { hookName } from "../open/address.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Command, type Context, oneOf, WrongUsage } from "../command.ts";
import { printJson } from "../terminal/output.ts";
import {
  headerFlags,
  type Pair,
  queryFlag,
  readBodyFile,
  readHeaders,
  readQuery,
} from "../send/request-options.ts";
import { contentTypeFlag, withContentType } from "../send/content-type.ts";
import { withHooks } from "../open/hooks.ts";
import { type Loaded, loadSettings } from "../open/settings.ts";

const flags = {
  ...configFlag,
  ...jsonFlag,
  ...headerFlags,
  ...contentTypeFlag,
  ...queryFlag,
  payload: { type: "string", file: true },
  event: { type: "string" },
  delivery: { type: "string" },
} as const;

/** A transform's output can arrive after its result. */
const outputMs = 50;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [name] = positionals;
  if (name === undefined) throw new WrongUsage("Name the hook: explain gmail --payload FILE");
  refuseMore(positionals, 1);
  if (values.payload === undefined)
    throw new WrongUsage("Give the payload: --payload FILE, or --payload - for standard input");
  const given = readHeaders(values);
  const query = readQuery(values.query);
  const body = await readBodyFile(values.payload, () => context.readInput());
  const contentType = values["content-type"];
  const headers = withContentType({ headers: given, contentType, file: values.payload, body });
  const loaded = await loadSettings(context, values.config);
  const { config } = loaded;
  if (!config.hooks.enabled)
    throw new UsageError(
      `Hooks are off in ${config.file}, so every one responds with 404. Set hooks.enabled first.`,
    );
  const request = {
    target: targetOf(config.hooks.path, name, query),
    rawHeaders: headers.flat(),
    body,
    now: context.clock.now(),
    event: values.event,
    delivery: values.delivery,
  };
  const isSenders = config.hooks.senders.some((sender) => sender.name === hookName(name));
  if (!isSenders && (values.event !== undefined || values.delivery !== undefined))
    throw new WrongUsage(`--event and --delivery are for senders, and hooks.senders has no ${name}`);
  const explanation = await explainWith(loaded, request, context);
  if (values.json) printJson(context, explanation);
  else {
    const { printExplanation } = await import("../explain/print.ts");
    printExplanation(context, explanation);
  }
  const { outcome } = explanation;
  return (outcome === "accepted" || outcome === "skipped") &&
    explanation.actions.every(({ fault }) => fault === null)
    ? 0
    : 1;
}

async function explainWith(loaded: Loaded, request: ExplainedRequest, { clock }: Context) {
  const { explain } = await import("../../hooks/explain/explain.ts");
  const { config, warnings } = loaded;
  let output = "";
  const explained = async (parts: ExplainParts) => {
    const explanation = await explain(request, config, parts);
    if (config.hooks.mappings.some(({ transform }) => transform !== null))
      await new Promise<void>((resolve) => void clock.after(outputMs, resolve));
    return explanation;
  };
  const explanation = await withHooks(loaded, explained, (text) => void (output += text));
  const taker = config.hooks.mappings[explanation.mappings.findIndex(({ takes }) => takes)];
  const about = taker && `hooks.mappings[${taker.origin}]`;
  return {
    ...explanation,
    warnings: warnings.filter(({ path }) => about !== undefined && isWithin(path, about)),
    output,
  };
}

/** Whether a setting is this one or inside it. */
const isWithin = (path: string, setting: string): boolean =>
  path === setting || path.startsWith(`${setting}.`);

function targetOf(base: string, name: string, query: readonly Pair[]): string {
  const search = new URLSearchParams([...query]).toString();
  return `${base}/${hookName(name)}${search === "" ? "" : `?${search}`}`;
}

export const command: Command = {
  name: "explain",
  summary: "say what a request to a hook would do, without sending it",
  help: `Usage: rouse explain NAME --payload FILE [--headers FILE] [--header 'NAME: VALUE']… [--query NAME=VALUE]… [--json]

Handles a request as the gateway would, up to the point where it would be stored, and prints each
step: which mapping takes it and why the others do not, what the templates and the transform make of
it and which references were missing in the request, what the policy says, the response the caller would get, and the exact prompt for the agent.
Use it while writing a mapping, or to see why a request did not do what it should. NAME may also be
wake or agent. Transforms run for real, and their output is shown. Needs no running gateway; it does
not check a token. Exit code 0 when the request would be accepted, 1 when not, and when what it
starts would fail, such as for want of the agent's instructions file (the action's fault). For a
sender of hooks.senders, event and delivery are read from the headers and the payload as the sender
would send them, or given by a flag; no signature is needed.

Options:
  --payload FILE           the request's body; - reads standard input
  --content-type TYPE      its type; left out, as its extension says: .xml, .form (a urlencoded form),
                           .multipart (a multipart/form-data form), and JSON for any other
  --headers FILE           the request's headers, one a line as NAME: VALUE
  --header 'NAME: VALUE'   a header of the request; may be given several times
  --query NAME=VALUE       a parameter of the request; may be given several times
  --event NAME             a sender's kind of event, as match.event has it
  --delivery ID            the id of a sender's delivery
  --json                   {"hook":…,"idempotencyKey":…,"mappings":[{"id":…,"takes":…,"reason":…}],"outcome":…,
                           "answer":{"status":…,"body":…},"reason":…,"actions":[{…,"policy":…,
                           "agentId":…,"prompt":…,"fault":…}],"empty":[{"reference":…,
                           "count":…,"elements":[…]}],"warnings":[…],"output":…}; the outcome
                           is accepted, skipped, failed or refused
  --config FILE            the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse explain gmail --payload mail.json
  rouse explain github --payload push.json --header 'X-GitHub-Event: push'
  rouse explain github --payload issue.json --event issues.opened
  echo '{"message":"Hello"}' | rouse explain agent --payload - --json`,
  syntax: { options: flags, words: oneOf(["wake", "agent"], flags) },
  run,
};

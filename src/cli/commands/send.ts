// `rouse send`: a small client for the gateway's hooks.
import { UsageError } from "../../core/errors.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";
import { postHook } from "../send/post.ts";
import { hookName } from "../open/address.ts";
import { hookUrl } from "../open/hook-url.ts";
import { contentTypeFlag, withContentType } from "../send/content-type.ts";
import { headerFlags, readHeaders } from "../send/request-options.ts";
import { showResponse } from "../send/response.ts";
import { agentFlags, fileFlag, makeBody, wakeFlags } from "../send/body.ts";
import { loadSettings } from "../open/settings.ts";

const requestFlags = {
  ...configFlag,
  ...jsonFlag,
  ...fileFlag,
  ...headerFlags,
  ...contentTypeFlag,
  url: { type: "string" },
  "idempotency-key": { type: "string" },
  event: { type: "string" },
  delivery: { type: "string" },
  fresh: { type: "boolean" },
} as const;
const waitFlag = { wait: { type: "boolean" } } as const;
const flags = { ...requestFlags, ...waitFlag, ...wakeFlags, ...agentFlags } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const [hook, message] = positionals;
  if (hook === undefined) throw new WrongUsage('Name the hook: send wake "text", send agent "message"');
  refuseMore(positionals, 2);
  if (values.wait && hook === "wake")
    throw new WrongUsage("--wait is for runs; wake starts none of its own.");
  const given = readHeaders(values);
  const key = values["idempotency-key"];
  if (key !== undefined && given.some(([name]) => name.toLowerCase() === "idempotency-key"))
    throw new WrongUsage("--idempotency-key and a header Idempotency-Key cannot both be given.");
  const body = await makeBody(hook, message, values, () => context.readInput());
  const contentType = values["content-type"];
  if (values.file === undefined && contentType !== undefined)
    throw new WrongUsage("--content-type is for --file; what is made from text is JSON.");
  const { config } = await loadSettings(context, values.config);
  const url = hookUrl(config, hook, values.url);
  const sender = config.hooks.senders.find(({ name }) => name === hookName(hook));
  // What a sender's kind sends says its type, where nothing else does.
  const isTyped = sender === undefined || contentType !== undefined;
  const headers =
    Buffer.isBuffer(body) && isTyped
      ? withContentType({ headers: given, contentType, file: values.file ?? "", body })
      : given;
  if (sender !== undefined) {
    if (key !== undefined) throw new WrongUsage("--idempotency-key is not for senders: use --delivery ID.");
    const { sendSigned } = await import("../send/signed.ts");
    return sendSigned(context, config, { sender, url, body: Buffer.from(body), headers, values });
  }
  if (values.event !== undefined || values.delivery !== undefined || values.fresh)
    throw new WrongUsage(
      `--event, --delivery and --fresh are for senders, and hooks.senders has no ${hook}.`,
    );
  const [token] = config.hooks.tokens;
  if (token === undefined) throw new UsageError(`Set hooks.enabled and hooks.token in ${config.file} first.`);
  const response = await postHook(url, {
    token,
    body,
    headers,
    idempotencyKey: key,
  });
  return showResponse(context, config, response, { wait: values.wait === true, json: values.json === true });
}

export const command: Command = {
  name: "send",
  summary: "send a request to the gateway: wake, agent or another hook",
  help: `Usage: rouse send wake TEXT [--mode now|next-heartbeat] [OPTIONS]
       rouse send agent MESSAGE [AGENT OPTIONS] [OPTIONS]
       rouse send NAME --file FILE [--headers FILE] [--header 'NAME: VALUE']… [OPTIONS]

A small client that takes the address and the token from the config. Use it to try a hook, or in
scripts on the gateway's machine. wake leaves a note for the main session; agent runs an agent; any
other NAME is a mapped hook. To see beforehand what a mapping makes of it: rouse help explain
The hook of a sender (hooks.senders) gets the file signed as its sender would sign it, with the config's
secret and the time, and with a new id where a header names it. Its answer never says what came of it;
--wait and "rouse runs" do. The same body again is a repeat for 24 hours: --fresh makes it a new one.

Agent options:
  --name NAME          a name for people, in summaries and lists
  --agent ID           which agent; default: the default agent
  --session-key KEY    continue a conversation (needs hooks.allowRequestSessionKey)
  --model MODEL        another model than the agent's
  --thinking LEVEL     how much the model thinks
  --timeout SECONDS    how long the run may take
  --channel NAME, --to RECIPIENT
                       where the reply goes; default: the main session's last recipient
  --no-deliver         store the reply without sending it
  --wake-mode MODE     when the main session gets the summary: now (default) or next-heartbeat

Options:
  --wait                   wait until every run it started has ended, and print the replies
  --mode MODE              for wake: now (default) or next-heartbeat
  --file FILE              send what is in FILE as it is; - reads standard input
  --content-type TYPE      its type; left out, as its extension says: .xml, .form (a urlencoded form),
                           .multipart (a multipart/form-data form), and JSON for any other
  --headers FILE           the request's headers, one a line as NAME: VALUE
  --header 'NAME: VALUE'   a header of the request, for mappings that read it; may be repeated
  --idempotency-key KEY    a repeat with this key within 24 hours changes nothing
  --event EVENT            for a sender's hook: the event, where a header names it (issues.opened)
  --delivery ID            for a sender's hook: the delivery's id, where a header names it
  --fresh                  for a sender's hook: make it no repeat of an earlier one, with a new id and
                           other blanks at the end of its JSON
  --url URL                another gateway address, such as http://127.0.0.1:4665
  --json                   the response as JSON, {"ok":true,"status":204} where it has no body; with --wait the ended run, or an array of several
  --config FILE            the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse send agent "What is new?" --name Morning --wait
  rouse send wake "The build is green" --mode next-heartbeat
  rouse send build --file push.json --header 'X-Stage: test' --wait
  rouse send github --file issue.json --event issues.opened --wait`,
  syntax: {
    options: { ...requestFlags, ...waitFlag },
    words: {
      wake: { options: { ...requestFlags, ...wakeFlags } },
      agent: { options: { ...requestFlags, ...waitFlag, ...agentFlags } },
    },
  },
  run,
};

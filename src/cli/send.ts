// `rouse send`: a small client for the gateway's hooks.
import type { Config } from "../config/config.ts";
import { UsageError } from "../core/errors.ts";
import { addressOf, localHost } from "./address.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "./arguments.ts";
import { type Command, type Context, WrongUsage } from "./command.ts";
import { openStore } from "./open-store.ts";
import { noteLine, printJson, printLine } from "./output.ts";
import { type HookAnswer, postHook } from "./post.ts";
import { createProgress } from "./progress.ts";
import { runRecord } from "./records.ts";
import { bodyFlags, makeBody } from "./send-body.ts";
import { loadSettings } from "./settings.ts";
import { waitForRun } from "./wait-for-run.ts";

const flags = {
  ...configFlag,
  ...jsonFlag,
  ...bodyFlags,
  url: { type: "string" },
  "idempotency-key": { type: "string" },
  wait: { type: "boolean" },
} as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context.argv, flags);
  const [hook, message] = positionals;
  if (hook === undefined) throw new WrongUsage('Say which hook: send wake "text", send agent "message"');
  refuseMore(positionals, 2);
  if (values.wait && hook === "wake")
    throw new WrongUsage("--wait is for runs; wake starts none of its own.");
  const body = await makeBody(hook, message, values, () => context.readInput());
  const { config } = await loadSettings(context, values.config);
  const [token] = config.hooks.tokens;
  if (token === undefined) throw new UsageError(`Set hooks.enabled and hooks.token in ${config.file} first.`);
  const answer = await postHook(hookUrl(config, hook, values.url), {
    token,
    body,
    idempotencyKey: values["idempotency-key"],
  });
  const json = values.json === true;
  if (answer.status < 200 || answer.status > 299) return showRefusal(context, answer, json);
  const runId = answer.body?.["runId"];
  if (values.wait && typeof runId === "string") return showEnd(context, config, runId, json);
  if (json) printJson(context, answer.body);
  else printLine(context, sentenceFor(answer));
  return 0;
}

function hookUrl({ gateway, hooks, file }: Config, hook: string, written: string | undefined): string {
  if (written === undefined && gateway.port === 0)
    throw new UsageError(
      `gateway.port in ${file} is 0, any free port: say which with --url http://HOST:PORT`,
    );
  const base = written ?? addressOf(localHost(gateway.host), gateway.port);
  if (!/^https?:\/\//i.test(base) || !URL.canParse(base))
    throw new WrongUsage("--url must be an address such as http://127.0.0.1:4665");
  const name = hook.split("/").map(encodeURIComponent).join("/");
  return `${base.replace(/\/+$/, "")}${hooks.path}/${name}`;
}

function sentenceFor({ status, body, replayed }: HookAnswer): string {
  const note = replayed ? " (the first answer to this idempotency key; nothing was done twice)" : "";
  const { eventId, runId } = body ?? {};
  if (typeof eventId === "string") return `Stored as event ${eventId}${note}`;
  if (typeof runId === "string")
    return `Accepted as run ${runId}${note}\nSee what comes of it: rouse runs show ${runId}`;
  return status === 204 ? "The hook had nothing to do." : `Accepted: ${JSON.stringify(body)}${note}`;
}

function showRefusal(context: Context, { status, body }: HookAnswer, json: boolean): number {
  if (json && body) printJson(context, body);
  const { error, code, details } = body ?? {};
  const sentence =
    typeof error === "string" ? error : "The answer is not one of Rouse's: is the address right?";
  noteLine(context, `${sentence} (${status}${typeof code === "string" ? ` ${code}` : ""})`);
  for (const detail of Array.isArray(details) ? (details as { path?: unknown; message?: unknown }[]) : [])
    noteLine(context, `  ${String(detail.path)}: ${String(detail.message)}`);
  return 1;
}

async function showEnd(context: Context, config: Config, runId: string, json: boolean): Promise<number> {
  if (!json) noteLine(context, `Accepted as run ${runId}`);
  const store = await openStore(config.store, context.clock);
  try {
    const progress = createProgress(context);
    const ended = await waitForRun(store, runId, { clock: context.clock, progress });
    if (json) printJson(context, runRecord(ended));
    else if (ended.reply !== null) printLine(context, ended.reply);
    else noteLine(context, `The run has ${ended.status}: ${ended.error ?? "no reason was given"}`);
    return ended.status === "succeeded" ? 0 : 1;
  } finally {
    await store.close();
  }
}

export const command: Command = {
  name: "send",
  summary: "send a request to the gateway: wake, agent or another hook",
  help: `Usage: rouse send wake TEXT [--mode now|next-heartbeat] [OPTIONS]
       rouse send agent MESSAGE [--wait] [AGENT OPTIONS] [OPTIONS]
       rouse send NAME --file FILE [OPTIONS]

A small client that takes the address and the token from the config. Use it to try a hook, or in
scripts on the gateway's machine. wake leaves a note for the main session; agent runs an agent.

Agent options:
  --wait               wait until the run has ended, and print its reply
  --name NAME          a name for people, in summaries and lists
  --agent ID           which agent; default: the default agent
  --session-key KEY    continue a conversation (needs hooks.allowRequestSessionKey)
  --model MODEL        another model than the agent's
  --thinking LEVEL     how much the model thinks
  --timeout SECONDS    how long the run may take
  --channel NAME, --to RECIPIENT
                       where the reply goes; default: the main session's last recipient
  --no-deliver         the reply is only recorded
  --wake-mode MODE     when the main session hears of it: now (default) or next-heartbeat

Options:
  --mode MODE              for wake: now (default) or next-heartbeat
  --file FILE              send the JSON in FILE as it is; - reads standard input
  --idempotency-key KEY    the same key within 24 hours does nothing twice
  --url URL                another gateway address, such as http://127.0.0.1:4665
  --json                   the answer as JSON; with --wait the ended run
  --config FILE            another config than the one in ROUSE_HOME

Examples:
  rouse send agent "What is new?" --name Morning --wait
  rouse send wake "The build is green" --mode next-heartbeat`,
  run,
};

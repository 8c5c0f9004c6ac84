// Prints the response to `rouse send` and `rouse gmail test`, and the runs they wait for.
import type { Config } from "../../config/config.ts";
import type { Run } from "../../core/run.ts";
import type { Context } from "../command.ts";
import { openStore } from "../open/store.ts";
import { noteLine, printJson, printJsonList, printLine } from "../terminal/output.ts";
import type { HookResponse } from "./post.ts";
import { runResource } from "../../api/resources.ts";
import { waitForRuns } from "../runs/wait.ts";

/** One id, or the several that `forEach` produced. */
function idsIn({ body }: HookResponse, what: "run" | "event"): string[] {
  const listed = body?.[`${what}Ids`];
  const ids: unknown[] = Array.isArray(listed) ? listed : [body?.[`${what}Id`]];
  return ids.filter((id) => typeof id === "string");
}

function sentenceFor(response: HookResponse): string {
  const { status, body, replayed } = response;
  const note = replayed ? " (the first response to this idempotency key; nothing was done twice)" : "";
  const events = idsIn(response, "event");
  const runs = idsIn(response, "run");
  const parts: string[] = [];
  if (events.length > 0) parts.push(listed("Stored as", "event", events, note));
  if (runs.length > 0) parts.push(listed("Accepted as", "run", runs, note), followUp(runs));
  if (parts.length > 0) return parts.join("\n");
  return status === 204 ? "The hook had nothing to do." : `Accepted: ${JSON.stringify(body)}${note}`;
}

const listed = (start: string, what: string, ids: readonly string[], note = ""): string =>
  ids.length === 1
    ? `${start} ${what} ${ids[0]}${note}`
    : `${start} ${ids.length} ${what}s${note}:${ids.map((id) => `\n  ${id}`).join("")}`;

const followUp = (ids: readonly string[]): string =>
  ids.length === 1
    ? `Follow it with: rouse runs show ${ids[0]}`
    : `Follow them with: rouse runs --limit ${ids.length}`;

/** Prints the response, or with `wait` the ends of its runs. Returns the exit code. */
export async function showResponse(
  context: Context,
  config: Config,
  response: HookResponse,
  { wait, json }: { wait: boolean; json: boolean },
): Promise<number> {
  if (!isAccepted(response)) return showRefusal(context, config, response, json);
  const runIds = idsIn(response, "run");
  if (wait && runIds.length > 0) return showEnds(context, config, runIds, json);
  if (json) printJson(context, response.body ?? { ok: true, status: response.status });
  else printLine(context, sentenceFor(response));
  return 0;
}

/** A success of another program has no JSON object. */
const isAccepted = ({ status, body }: HookResponse): boolean =>
  status >= 200 && status <= 299 && (body !== null || status === 204);

function showRefusal(
  context: Context,
  { file }: Pick<Config, "file">,
  { status, body }: HookResponse,
  json: boolean,
): number {
  if (json) printJson(context, body ?? { ok: false, status });
  const { error, code, details } = body ?? {};
  const sentence =
    typeof error === "string" ? error : "This response is not from Rouse: is the address right?";
  noteLine(context, `${sentence} (${status}${typeof code === "string" ? ` ${code}` : ""})`);
  for (const detail of Array.isArray(details) ? (details as { path?: unknown; message?: unknown }[]) : [])
    noteLine(context, `  ${String(detail.path)}: ${String(detail.message)}`);
  if (code === "unauthorized")
    noteLine(
      context,
      `The token sent is the first of hooks.token in ${file}. If that is right, another gateway listens there: rouse doctor`,
    );
  return 1;
}

/** Waits for all runs and prints how they ended. */
export async function showEnds(
  context: Context,
  config: Config,
  runIds: readonly string[],
  json: boolean,
): Promise<number> {
  if (!json) noteLine(context, listed("Accepted as", "run", runIds));
  const store = await openStore(config.store, context.clock);
  try {
    const ended = await waitForRuns(store, runIds, context);
    if (json) printResources(context, ended);
    else for (const run of ended) showEnd(context, run, ended.length > 1);
    return ended.every(({ status }) => status === "succeeded") ? 0 : 1;
  } finally {
    await store.close();
  }
}

function printResources(context: Context, runs: readonly Run[]): void {
  const resources = runs.map(runResource);
  if (resources.length === 1) printJson(context, resources[0]);
  else printJsonList(context, resources);
}

/** A single reply is printed as it is; each of several names its run. */
function showEnd(context: Context, { id, reply, status, error }: Run, isOneOfMany: boolean): void {
  const which = isOneOfMany ? `Run ${id}` : "The run";
  if (reply === null) return noteLine(context, `${which} has ${status}: ${error ?? "no reason was given"}`);
  if (isOneOfMany) printLine(context, `${which} has ${status}:`);
  printLine(context, reply);
}

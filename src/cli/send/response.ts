// What `rouse send` tells of an answer, and of the runs it waits for.
import type { Config } from "../../config/config.ts";
import type { Run } from "../../core/run.ts";
import type { Context } from "../command.ts";
import { openStore } from "../open/store.ts";
import { noteLine, printJson, printJsonList, printLine } from "../terminal/output.ts";
import type { HookAnswer } from "./post.ts";
import { runResource } from "../../api/resources.ts";
import { waitForRuns } from "../runs/wait.ts";

/** Of one, or of those that `forEach` made. */
export function idsIn({ body }: HookAnswer, what: "run" | "event"): string[] {
  const listed = body?.[`${what}Ids`];
  const ids: unknown[] = Array.isArray(listed) ? listed : [body?.[`${what}Id`]];
  return ids.filter((id) => typeof id === "string");
}

export function sentenceFor(answer: HookAnswer): string {
  const { status, body, replayed } = answer;
  const note = replayed ? " (the first answer to this idempotency key; nothing was done twice)" : "";
  const events = idsIn(answer, "event");
  const runs = idsIn(answer, "run");
  const parts: string[] = [];
  if (events.length > 0) parts.push(listed("Stored as", "event", events, note));
  if (runs.length > 0) parts.push(listed("Accepted as", "run", runs, note), lookAt(runs));
  if (parts.length > 0) return parts.join("\n");
  return status === 204 ? "The hook had nothing to do." : `Accepted: ${JSON.stringify(body)}${note}`;
}

const listed = (begin: string, what: string, ids: readonly string[], note = ""): string =>
  ids.length === 1
    ? `${begin} ${what} ${ids[0]}${note}`
    : `${begin} ${ids.length} ${what}s${note}:${ids.map((id) => `\n  ${id}`).join("")}`;

const lookAt = (ids: readonly string[]): string =>
  ids.length === 1
    ? `See what comes of it: rouse runs show ${ids[0]}`
    : `See what comes of them: rouse runs --limit ${ids.length}`;

export function showRefusal(context: Context, { status, body }: HookAnswer, json: boolean): number {
  if (json && body) printJson(context, body);
  const { error, code, details } = body ?? {};
  const sentence =
    typeof error === "string" ? error : "The answer is not one of Rouse's: is the address right?";
  noteLine(context, `${sentence} (${status}${typeof code === "string" ? ` ${code}` : ""})`);
  for (const detail of Array.isArray(details) ? (details as { path?: unknown; message?: unknown }[]) : [])
    noteLine(context, `  ${String(detail.path)}: ${String(detail.message)}`);
  return 1;
}

/** Waits for all of them. */
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

/** One reply stands alone; of several, each says whose it is. */
function showEnd(context: Context, { id, reply, status, error }: Run, isOneOfMany: boolean): void {
  const which = isOneOfMany ? `Run ${id}` : "The run";
  if (reply === null) return noteLine(context, `${which} has ${status}: ${error ?? "no reason was given"}`);
  if (isOneOfMany) printLine(context, `${which} has ${status}:`);
  printLine(context, reply);
}

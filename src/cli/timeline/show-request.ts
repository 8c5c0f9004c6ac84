// `rouse requests show ID`: what became of one request, step by step; with --body what it brought.
import { UsageError } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/request.ts";
import type { Store } from "../../store/ports/store.ts";
import { requestFacts } from "../../timeline/gather.ts";
import { timelineResource } from "../../timeline/resource.ts";
import { timelineOf } from "../../timeline/timeline.ts";
import { requestDetailsResource } from "../../api/resources.ts";
import { type Context, WrongUsage } from "../command.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { printJson } from "../terminal/output.ts";
import { safeText } from "../terminal/text.ts";
import { withStore } from "../open/store.ts";
import { printTimeline } from "./print.ts";

export const showRequestFlags = {
  ...configFlag,
  ...jsonFlag,
  body: { type: "boolean" },
  full: { type: "boolean" },
} as const;

/** `find` resolves to the request that an id, or the beginning of one, names. */
export function showRequest(
  context: Context,
  find: (store: Store, id: string) => Promise<RequestRecord>,
): Promise<number> {
  const { values, positionals } = readArguments(context, showRequestFlags);
  const [, id] = positionals;
  if (id === undefined) throw new WrongUsage("Which request? Give its id: requests show ID");
  refuseMore(positionals, 2);
  if (values.body && values.json) throw new WrongUsage("--body and --json cannot both be given.");
  return withStore(context, values.config, async (store) => {
    const request = await find(store, id);
    if (values.body) return printBody(context, store, request);
    const timeline = timelineOf(await requestFacts(store, request), await store.databaseTime());
    if (values.json)
      printJson(context, { ...requestDetailsResource(request), timeline: timelineResource(timeline) });
    else printTimeline(context, timeline, { isFull: values.full === true, headers: values.full === true });
    return 0;
  });
}

/** As it came into a pipe; a terminal gets text without anything that could drive it. */
async function printBody(
  context: Context,
  store: Pick<Store, "requestBody">,
  request: RequestRecord,
): Promise<number> {
  const body = request.hasBody ? await store.requestBody(request.id) : null;
  if (body === null)
    throw new UsageError(
      `The body of request ${request.id} is not kept: hooks.keepRequests says how long bodies are, hooks.keepRequestBytes how large.`,
    );
  if (!context.isTerminal) context.stdout.write(body);
  else context.stdout.write(`${safeText(new TextDecoder().decode(body))}\n`);
  return 0;
}

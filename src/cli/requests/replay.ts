// `rouse requests replay`: one request by its id, or many by what they have in common.
import { UsageError } from "../../core/errors.ts";
import type { Replayed } from "../../hooks/replay/replay.ts";
import type { CannotReplay } from "../../hooks/replay/request.ts";
import type { Store } from "../../store/ports/store.ts";
import { type Context, WrongUsage } from "../command.ts";
import { withHooks } from "../open/hooks.ts";
import { loadSettings } from "../open/settings.ts";
import { withStore } from "../open/store.ts";
import { findBy } from "../runs/resolve.ts";
import { readBodyFile } from "../send/request-options.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { manyFlags, replayMatching } from "./replay-many.ts";
import { replayParts } from "./parts.ts";

const oneFlags = { ...configFlag, ...jsonFlag, payload: { type: "string", file: true } } as const;

export const replayFlags = { ...oneFlags, ...manyFlags } as const;

/** `argv` without the word `replay`. */
export function replayRequests(context: Context): Promise<number> {
  const isMany = context.argv.some((each) => /^--(?!payload|json|config)[a-z]/.test(each));
  return isMany ? replayMatching(context) : replayOne(context);
}

async function replayOne(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, oneFlags);
  const [id] = positionals;
  if (id === undefined)
    throw new WrongUsage("Which request? Give its id, or --since for all since a time: requests replay ID");
  refuseMore(positionals, 1);
  const { payload } = values;
  const edited = payload === undefined ? undefined : await readBodyFile(payload, () => context.readInput());
  const loaded = await loadSettings(context, values.config);
  const { replayRequest } = await import("../../hooks/replay/replay.ts");
  const result = await withStore(context, values.config, async (store, config) => {
    const kept = { ...(await findKept(store, id)), payload: edited };
    context.audit({ verb: "request.replay", subject: kept.record.id, store: config.store });
    return withHooks(loaded, (settings) =>
      replayRequest(kept, replayParts(context, { store, config, settings })),
    );
  });
  if ("cannot" in result) throw new UsageError(cannotSentence(id, result));
  if (values.json) printJson(context, result);
  else printLine(context, sentenceOf(result));
  return isGood(result) ? 0 : 1;
}

async function findKept(store: Store, written: string) {
  const record = await findBy(store, { kind: "request", written }, (id) => store.findRequest(id));
  return { record, body: record.hasBody ? await store.requestBody(record.id) : null };
}

const cannotSentence = (id: string, { reason }: CannotReplay): string =>
  `Request ${id} cannot be replayed: ${reason}.`;

const isGood = ({ outcome }: Replayed): boolean => outcome === "accepted" || outcome === "skipped";

function sentenceOf({ id, outcome, reason, runIds, eventIds }: Replayed): string {
  const led = [
    ...(runIds.length > 0 ? [`run ${runIds.join(", ")}`] : []),
    ...(eventIds.length > 0 ? [`event ${eventIds.join(", ")}`] : []),
  ];
  const why = reason ?? led.join(" and ");
  return `Replayed as request ${id}: ${outcome}${why === "" ? "" : `, ${why}`}`;
}

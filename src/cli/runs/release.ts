// `rouse runs release`: queues parked runs again.
import { doneOrThrow } from "../../api/actions/result.ts";
import { releaseRuns as releaseParked } from "../../api/actions/runs.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Context, WrongUsage } from "../command.ts";
import { resolveId } from "./resolve.ts";
import { withStore } from "../open/store.ts";
import { printJson, printLine } from "../terminal/output.ts";

export const releaseFlags = { ...configFlag, ...jsonFlag, hook: { type: "string" } } as const;

export function releaseRuns(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, releaseFlags);
  refuseMore(positionals, 2);
  const written = positionals[1] ?? null;
  const hook = values.hook ?? null;
  if (written !== null && hook !== null) throw new WrongUsage("Give either an id or --hook, not both.");
  return withStore(context, values.config, async (store, config) => {
    const id = written === null ? null : await resolveId(store, "run", written);
    const subject = id ?? (hook === null ? "all" : `hook ${hook}`);
    context.audit({ verb: "run.release", subject, store: config.store });
    const { sentence, value } = doneOrThrow(await releaseParked(store, { id, hook }));
    if (values.json) printJson(context, value);
    else printLine(context, sentence);
    return 0;
  });
}

// `rouse runs release`: queues parked runs again.
import { UsageError } from "../../core/errors.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Context, WrongUsage } from "../command.ts";
import { withStore } from "../open/store.ts";
import { printJson, printLine } from "../terminal/output.ts";

export const releaseFlags = { ...configFlag, ...jsonFlag, hook: { type: "string" } } as const;

export function releaseRuns(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, releaseFlags);
  refuseMore(positionals, 2);
  const id = positionals[1] ?? null;
  const hook = values.hook ?? null;
  if (id !== null && hook !== null) throw new WrongUsage("Give either an id or --hook, not both.");
  return withStore(context, values.config, async (store) => {
    const released = await store.releaseRuns({ id, hook });
    if (id !== null && released === 0) throw new UsageError(`There is no parked run with the id ${id}.`);
    if (values.json) printJson(context, { released });
    else printLine(context, released === 0 ? "No runs are parked." : sentence(released));
    return 0;
  });
}

const sentence = (count: number): string =>
  `${count === 1 ? "One run was" : `${count} runs were`} released and will start as soon as a slot is free.`;

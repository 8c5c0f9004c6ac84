// The options by which lists are narrowed. What is wrong is said before the store is opened.
import type { Store } from "../../store/ports/store.ts";
import { WrongUsage } from "../command.ts";
import { readOneOf } from "../terminal/arguments.ts";
import { readSince, type Since, sinceMoment } from "../terminal/since.ts";

export const timeFlags = { since: { type: "string" }, until: { type: "string" } } as const;
export const hookFlag = { hook: { type: "string", multiple: true } } as const;
export const agentsFlag = { agent: { type: "string", multiple: true } } as const;
export const statusFlag = <const T extends readonly string[]>(values: T) =>
  ({ status: { type: "string", multiple: true, values } }) as const;

/** Undefined: the option was not given. */
export const readAllOf = <T extends string>(
  option: string,
  written: readonly string[] | undefined,
  known: readonly T[],
): T[] | undefined => written?.map((each) => readOneOf(option, each, known));

export const readAgents = (written: readonly string[] | undefined): string[] | undefined =>
  written?.map((id) => id.trim().toLowerCase());

/** The fields that were given. */
export const given = <T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

export type WrittenTimes = { since?: string | undefined; until?: string | undefined };
export type Times = { since?: number; until?: number };

/** `since` and `until`, once the clock of the store is known. */
export function readTimes(written: WrittenTimes): (store: Pick<Store, "databaseTime">) => Promise<Times> {
  const since = read("--since", written.since);
  const until = read("--until", written.until);
  return async (store) => {
    if (!since && !until) return {};
    const now = await store.databaseTime();
    const times = {
      ...(since && { since: sinceMoment(since, now, "--since") }),
      ...(until && { until: sinceMoment(until, now, "--until") }),
    };
    if (times.since !== undefined && times.until !== undefined && times.since >= times.until)
      throw new WrongUsage("--since must be before --until.");
    return times;
  };
}

const read = (option: string, written: string | undefined): Since | null =>
  written === undefined ? null : readSince(written, option);

// The shared part of `runs`, `events`, `deliveries` and `requests`: they list by default, and the verbs show, retry and
// cancel take one id.
import type { Config } from "../../config/config.ts";
import { collectFound } from "../../store/create/searches.ts";
import type { Found, IdKind } from "../../store/ports/search.ts";
import type { Store } from "../../store/ports/store.ts";
import {
  configFlag,
  jsonFlag,
  readArguments,
  readWholeNumber,
  refuseMore,
  unknownVerb,
  type Values,
} from "../terminal/arguments.ts";
import { type Context, type Flags, oneOf, type Syntax, WrongUsage } from "../command.ts";
import { withStore } from "../open/store.ts";
import { readTimes, timeFlags, type Times } from "./filters.ts";
import { findBy } from "./resolve.ts";
import { noteLine, printFields, printJson, printJsonList, printLine } from "../terminal/output.ts";
import { type Column, formatTable } from "../terminal/table.ts";

/** The result of a change: a sentence for people, and a value for `--json`. */
export type Change = { sentence: string; value: Readonly<Record<string, unknown>> };

type Verb<T> = (store: Store, item: T, config: Config) => Promise<Change>;

export type SearchPage = { limit: number; before: number | null } & Times;

export type Stored<T, R extends object, F extends Flags = Flags, D extends object = object> = {
  one: string;
  many: string;
  kind: IdKind;
  /** By which its list is narrowed, besides the time. */
  flags: F;
  columns: readonly Column<R>[];
  toResource: (item: T) => R;
  /** What a person gets in the list in place of the resource. */
  toRow?: (item: T) => R;
  /** What the options ask for; throws where one is wrong. */
  search: (values: Values<F>) => (store: Store, page: SearchPage) => Promise<Found<T>>;
  single?: {
    find: (store: Store, id: string) => Promise<T | null>;
    /** The fields that `show` adds to the resource. */
    details: (store: Store, item: T) => Promise<D>;
    /** What a person gets in place of the fields. */
    print?: (context: Context, item: T) => void;
    retry: Verb<T>;
    cancel: Verb<T>;
  };
};

const listFlags = { limit: { type: "string" }, all: { type: "boolean" } } as const;
const defaultLimit = 50;

const flagsOf = <F extends Flags>(flags: F) => ({
  ...configFlag,
  ...jsonFlag,
  ...listFlags,
  ...timeFlags,
  ...flags,
});

export function syntaxOf({ flags, single }: { flags: Flags; single?: object }): Syntax {
  const options = flagsOf(flags);
  const ofOne = single ? oneOf(verbs, { ...configFlag, ...jsonFlag }) : {};
  return { options, words: { list: { options }, ...ofOne } };
}

export async function runStored<T, R extends object, F extends Flags, D extends object>(
  context: Context,
  stored: Stored<T, R, F, D>,
): Promise<number> {
  const read = readArguments(context, flagsOf(stored.flags));
  const { positionals } = read;
  const values = read.values as ListValues & Values<F>;
  const [verb = "list", id] = positionals;
  if (verb === "list") {
    refuseMore(positionals, 1);
    return list(context, stored, values);
  }
  const { single } = stored;
  if (!single || !isVerb(verb)) throw unknownVerb(verb, single ? verbs : []);
  if (id === undefined) throw new WrongUsage(`Which ${stored.one}? Give its id: ${stored.many} ${verb} ID`);
  refuseMore(positionals, 2);
  return withStore(context, values.config, async (store, config) => {
    let subject = id;
    const item = await findBy(store, { kind: stored.kind, written: id }, (whole) => {
      subject = whole;
      return single.find(store, whole);
    });
    const json = values.json === true;
    if (verb === "show") await show(context, stored, single, { store, item, json });
    else {
      context.audit({ verb: `${stored.one}.${verb}`, subject, store: config.store });
      printChange(context, await single[verb](store, item, config), json);
    }
    return 0;
  });
}

type ListValues = Values<typeof configFlag & typeof jsonFlag & typeof listFlags & typeof timeFlags>;

function list<T, R extends object, F extends Flags, D extends object>(
  context: Context,
  stored: Stored<T, R, F, D>,
  values: ListValues & Values<F>,
): Promise<number> {
  const limit = readLimit(values);
  const search = stored.search(values);
  const timesOf = readTimes(values);
  return withStore(context, values.config, async (store) => {
    const times = await timesOf(store);
    const items = await collectFound<T, number>(limit, (page) => search(store, { ...page, ...times }));
    const json = values.json === true;
    const toResource = (!json && stored.toRow) || stored.toResource;
    printList(context, stored, items.map(toResource), { json, limit });
    return 0;
  });
}

async function show<T, R extends object, F extends Flags, D extends object>(
  context: Context,
  { toResource }: Pick<Stored<T, R, F, D>, "toResource">,
  { details: detailsOf, print }: NonNullable<Stored<T, R, F, D>["single"]>,
  { store, item, json }: { store: Store; item: T; json: boolean },
): Promise<void> {
  const details = await detailsOf(store, item);
  const resource = { ...toResource(item), ...details };
  if (json) printJson(context, resource);
  else if (print) print(context, item);
  else printFields(context, Object.fromEntries(Object.entries(resource)));
}

function printChange(context: Context, { sentence, value }: Change, json: boolean): void {
  if (json) printJson(context, value);
  else printLine(context, sentence);
}

const verbs = ["show", "retry", "cancel"] as const;
const isVerb = (word: string): word is (typeof verbs)[number] => (verbs as readonly string[]).includes(word);

export function readLimit({ limit, all }: Values<typeof listFlags>): number | null {
  if (all && limit !== undefined) throw new WrongUsage("--all and --limit cannot both be given.");
  if (all) return null;
  return limit === undefined ? defaultLimit : readWholeNumber("--limit", limit, 1, 1_000_000);
}

function printList<R extends object>(
  context: Context,
  { columns, many }: { columns: readonly Column<R>[]; many: string },
  resources: readonly R[],
  { json, limit }: { json: boolean; limit: number | null },
): void {
  if (json) return printJsonList(context, resources);
  if (resources.length === 0) return printLine(context, `No ${many}.`);
  context.stdout.write(formatTable(columns, resources, context.columns));
  if (resources.length === limit && context.isTerminal)
    noteLine(context, `The newest ${limit}. More with --limit N, every one with --all.`);
}

// `rouse senders`: those of the config, and how their calls went.
import type { Config, SenderConfig } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import type { Context } from "../command.ts";
import { storeFault } from "../open/store.ts";
import { loadSettings } from "../open/settings.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { listFlags } from "./options.ts";
import { noteLine, printJsonList, printLine } from "../terminal/output.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { addressFor } from "./instructions.ts";
import type { SenderRecord } from "../../core/sender.ts";
import { type OpenRecords, openRecords } from "./records.ts";
import { failureWords, type CallSummary, skewWords, summaryOf, timeWords } from "./statistics.ts";

export type SenderRow = {
  name: string;
  kind: string;
  label: string;
  /** Null where the config does not say it. */
  address: string | null;
  path: string;
  mappings: string[];
  calls: CallSummary | null;
  /** Of kinds whose key arrives by request. */
  key: "there" | "awaited" | "missing" | null;
};

export async function runList(context: Context, open: OpenRecords = openRecords): Promise<number> {
  const { values, positionals } = readArguments(context, listFlags);
  refuseMore(positionals, 0);
  const { config } = await loadSettings(context, values.config);
  const statistics = config.hooks.senders.length === 0 ? null : await readStatistics(context, config, open);
  const rows = senderRows(config, statistics);
  if (values.json) printJsonList(context, rows.map(rowResource));
  else if (rows.length === 0)
    printLine(context, `${config.file} has no senders. Add one, such as: rouse senders add github`);
  else context.stdout.write(formatTable(columns(rows), rows, context.columns));
  return 0;
}

/** Null: nothing is known of any call. */
async function readStatistics(
  context: Context,
  config: Config,
  open: OpenRecords,
): Promise<readonly SenderRecord[] | null> {
  try {
    const records = await open(config.store, context.clock);
    try {
      return await records.listSenders();
    } finally {
      await records.close();
    }
  } catch (fault) {
    const known = storeFault(fault, config);
    if (!(known instanceof UsageError)) throw fault;
    noteLine(context, `How the calls went is not known. ${known.message}`);
    return null;
  }
}

/** `statistics`: null, or without a sender, where nothing is known of its calls. */
export function senderRows(
  config: Pick<Config, "gateway" | "hooks">,
  statistics: readonly SenderRecord[] | null,
): SenderRow[] {
  const { hooks } = config;
  return hooks.senders.map((sender) => {
    const { name, kind, publicUrl } = sender;
    const known = statistics?.find((each) => each.name === name);
    const address = addressFor(config, name, publicUrl);
    return {
      name,
      kind,
      label: senderKinds.get(kind)?.label ?? "",
      address: address.isPlaceholder ? null : address.url,
      path: `${hooks.path}/${name}`,
      mappings: hooks.mappings.filter(({ match }) => match.path === name).map(({ id }) => id),
      calls: summaryOf(known),
      key: keyOf(sender, known),
    };
  });
}

/** Null: the key does not arrive by request. */
export function keyOf({ kind, secrets }: SenderConfig, known: SenderRecord | undefined): SenderRow["key"] {
  if (senderKinds.get(kind)?.secret.from !== "pairing" || secrets.length > 0) return null;
  if (known !== undefined && known.keyTakenAt !== null) return "there";
  return known !== undefined && known.pairingMs !== null ? "awaited" : "missing";
}

function columns(rows: readonly SenderRow[]): Column<SenderRow>[] {
  const hasKeys = rows.some(({ key }) => key !== null);
  return [
    { title: "NAME", value: ({ name }) => name },
    { title: "KIND", value: ({ kind }) => kind },
    { title: "ADDRESS", value: ({ address, path }) => address ?? path },
    { title: "LAST CALL", value: ({ calls }) => timeWords(calls?.lastCallAt) },
    { title: "LAST SUCCESS", value: ({ calls }) => timeWords(calls?.lastSuccessAt) },
    { title: "CLOCK", value: ({ calls }) => skewWords(calls?.skewMs ?? null) },
    ...(hasKeys ? [{ title: "KEY", value: ({ key }: SenderRow) => key ?? "-" }] : []),
    { title: "FAILURES", value: ({ calls }) => failureWords(calls) },
    { title: "MAPPINGS", value: ({ mappings }) => mappings.join(", ") },
  ];
}

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const rowResource = ({ calls, ...row }: SenderRow) => ({
  ...row,
  calls: calls && {
    lastCallAt: time(calls.lastCallAt),
    lastSuccessAt: time(calls.lastSuccessAt),
    failures: calls.failures,
    skewMs: calls.skewMs,
  },
});

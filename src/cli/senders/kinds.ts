// `rouse senders kinds`: the table of kinds, or all about one.
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { type Context } from "../command.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { listFlags } from "./options.ts";
import { printFields, printJson, printJsonList, printLine } from "../terminal/output.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { kindNamed, numbered } from "./add.ts";
import { flagOf } from "./draft.ts";
import { readyMappings } from "./ready.ts";
import type { SpecialSetting } from "../../hooks/senders/settings.ts";

export async function runKinds(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, listFlags);
  refuseMore(positionals, 1);
  const [written] = positionals;
  if (written === undefined) {
    const kinds = [...senderKinds.values()];
    if (values.json) printJsonList(context, kinds.map(kindResource));
    else context.stdout.write(formatTable(columns, kinds, context.columns));
    return 0;
  }
  const kind = kindNamed(written);
  if (values.json) printJson(context, kindResource(kind));
  else printKind(context, kind);
  return 0;
}

const sources: Readonly<Record<SenderKind["secret"]["from"], string>> = {
  sender: "the sender's",
  us: "ours",
  "public-key": "a public key",
  pairing: "arrives by request",
  none: "none",
};

const columns: Column<SenderKind>[] = [
  { title: "KIND", value: ({ id }) => id },
  { title: "SENDER", value: ({ label }) => label },
  { title: "SECRET", value: ({ secret }) => sources[secret.from] },
  { title: "CHECKS", value: ({ describe }) => describe.checks },
];

const topicsOf = (kind: SenderKind): string[] =>
  readyMappings(kind).flatMap(({ topic, example }) => (example === null ? [] : [topic]));

const kindResource = (kind: SenderKind) => ({
  kind: kind.id,
  label: kind.label,
  secret: { from: kind.secret.from, where: kind.secret.where, shape: kind.secret.shape?.says ?? null },
  needs: kind.needs ?? {},
  checks: kind.describe.checks,
  doesNotCheck: kind.describe.doesNotCheck ?? null,
  retries: kind.describe.retries,
  setUp: kind.describe.setUp,
  mappings: topicsOf(kind),
  docs: kind.describe.docs,
});

function printKind(context: Context, kind: SenderKind): void {
  const { secret, describe, needs = {} } = kind;
  const topics = topicsOf(kind);
  printFields(context, {
    sender: kind.label,
    checks: describe.checks,
    "not checked": describe.doesNotCheck ?? "-",
    secret: `${sources[secret.from]}: ${secret.where}${secret.shape ? ` (it ${secret.shape.says})` : ""}`,
    ...(Object.keys(needs).length > 0 && { "also needs": needWords(needs) }),
    retries: describe.retries,
    mappings: topics.length === 0 ? "one that shows the whole payload" : topics.join(", "),
    docs: describe.docs,
  });
  printLine(context, ["", "To set it up:", ...numbered(describe.setUp)].join("\n"));
  printLine(context, `\nAdd it: rouse senders add ${kind.id}`);
}

const needWords = (needs: NonNullable<SenderKind["needs"]>): string =>
  (Object.entries(needs) as [SpecialSetting, string][])
    .map(([name, where]) => `${flagOf[name]}: ${where}`)
    .join("; ");

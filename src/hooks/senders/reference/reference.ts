// Generates the part of `docs/senders.md` below its mark: one section for each kind, from the table.
import type { SenderKind } from "../kind.ts";
import { senderKinds } from "../kinds/index.ts";
import type { SpecialSetting } from "../settings.ts";

export const mark =
  "<!-- What follows is made from the table of senders by `npm run generate`; do not edit it. -->";

/** `written`: the page as it is. All above the mark is written by hand and stays. */
export function senderPage(written: string): string {
  const at = written.indexOf(mark);
  if (at === -1) throw new Error(`docs/senders.md has lost its mark: ${mark}`);
  return written.slice(0, at) + sectionsFor([...senderKinds.values()]);
}

const sectionsFor = (kinds: readonly SenderKind[]): string =>
  [mark, "", "## All kinds", "", ...tableOf(kinds), "", ...kinds.map(sectionOf)].join("\n");

const sources: Readonly<Record<SenderKind["secret"]["from"], string>> = {
  sender: "the sender makes it",
  us: "ours to choose",
  "public-key": "a public key",
  pairing: "arrives by request",
  none: "none",
};

const tableOf = (kinds: readonly SenderKind[]): string[] => [
  "| Kind | Sender | Secret | Bodies |",
  "|---|---|---|---|",
  ...kinds.map(
    ({ id, label, secret, body }) =>
      `| [\`${id}\`](#${id}) | ${label} | ${sources[secret.from]} | ${body.types.map(bodyWord).join(", ")} |`,
  ),
];

const bodyWord = (type: string): string => (type === "json" || type === "xml" ? type.toUpperCase() : type);

function sectionOf(kind: SenderKind): string {
  const { id, label, describe, event } = kind;
  return [
    `### ${id}`,
    "",
    describe.docs.startsWith("https:")
      ? `${label}. [What it says itself](${describe.docs}).`
      : `${label}: see [above](${describe.docs.replace(/^senders\.md/, "")}).`,
    "",
    `- **Checks:** ${describe.checks}`,
    `- **Does not check:** ${describe.doesNotCheck ?? "Nothing that Rouse uses is left out."}`,
    `- **Secret:** ${secretWords(kind)}`,
    ...needsOf(kind).map(([name, where]) => `- **\`${name}\`:** ${where}.`),
    ...(event === undefined ? [] : [`- **Event:** ${eventWords(kind)}`]),
    `- **Tries again:** ${describe.retries}`,
    "",
    ...describe.setUp.map((step, at) => `${at + 1}. ${step}`),
    "",
    "```jsonc",
    configLines(kind),
    "```",
    "",
  ].join("\n");
}

function secretWords({ secret: { from, where, shape } }: SenderKind): string {
  const has = shape === undefined ? "" : ` It ${shape.says}.`;
  if (from === "us") return `Ours to choose; \`rouse senders add\` makes it. It belongs into ${where}.${has}`;
  if (from === "none") return `None: ${where}.`;
  return `${from === "public-key" ? "A public key: " : ""}${capitalised(where)}.${has}`;
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function eventWords({ event }: SenderKind): string {
  const places = (event?.at ?? []).map((place) => {
    if ("header" in place) return `the header \`${place.header}\``;
    if ("json" in place) return `\`${place.json}\` of the body`;
    return "form" in place ? `the field \`${place.form}\` of the form` : `\`${place.query}\` of the query`;
  });
  const joined = event?.join === true ? `${places.join(" and ")}, joined with a dot` : places.join(", else ");
  return `${capitalised(joined)}${event?.signed === true ? "" : ", which the proof does not cover"}.`;
}

const needsOf = ({ needs = {} }: SenderKind): [SpecialSetting, string][] =>
  Object.entries(needs) as [SpecialSetting, string][];

/** What each setting looks like in the config. */
const shown: Readonly<Record<SpecialSetting, (name: string) => unknown>> = {
  publicKey: (name) => ({ file: `secrets/${name}.pem` }),
  publicUrl: (name) => `https://hooks.example.com/hooks/${name}`,
  verifyToken: (name) => ({ file: `secrets/${name}-verify-token` }),
  origins: () => ["eventgrid.azure.net"],
  topicArns: () => ["arn:aws:sns:eu-central-1:123456789012:alarms"],
  audience: (name) => `https://hooks.example.com/hooks/${name}`,
  serviceAccountEmail: () => "push@my-project.iam.gserviceaccount.com",
  webhookId: () => "5GP028458E2496506",
  header: () => "x-webhook-token",
};

/** The sender in the config; a mapping with its name as `match.path` belongs to it. */
export function senderSettings(kind: SenderKind): Record<string, unknown> {
  const { id, secret } = kind;
  const hasSecret = secret.from === "us" || secret.from === "sender";
  return {
    kind: id,
    ...(hasSecret && { secret: { file: `secrets/${id}` } }),
    ...(secret.from === "public-key" && { publicKey: shown.publicKey(id) }),
    ...Object.fromEntries(needsOf(kind).map(([name]) => [name, shown[name](id)])),
    ...(id === "custom" && { custom: customExample }),
  };
}

const customExample = {
  signature: { header: "x-shop-signature", prefix: "v1=" },
  signed: "{time}.{body}",
  time: { at: { header: "x-shop-time" }, unit: "s" },
  delivery: { json: "id" },
  event: { json: "type" },
};

const configLines = (kind: SenderKind): string => {
  const settings = JSON.stringify(senderSettings(kind), null, 1).replace(/\n\s*/g, " ");
  return `"senders": { "${kind.id}": ${settings} },`;
};

// `rouse senders add`: writes a sender and a mapping into the config, its secret into a file, and says what to paste where.
import { existsSync } from "node:fs";
import { join, dirname } from "node:path";
import { hookNameFault } from "../../config/schema/hook-name.ts";
import type { Config } from "../../config/config.ts";
import type { MappingSettings } from "../../config/schema/mapping.ts";
import { hasAllowedPrefix } from "../../core/session-key.ts";
import { UsageError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import { labelOf } from "../../hooks/senders/label.ts";
import { type Context, WrongUsage } from "../command.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { makeHome } from "../open/home.ts";
import { findConfigFile, loadSettings } from "../open/settings.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { type AddValues, type Draft, draftOf, flagOf, lacksSecret, missingSettings } from "./draft.ts";
import { existsAlready, writeEntry, type Written } from "./entry.ts";
import { type Address, addressFor, addressNotes, stepsFor } from "./instructions.ts";
import { addFlags } from "./options.ts";
import { mappingFor, type ReadyMapping, readyMappings } from "./ready.ts";

export async function runAdd(context: Context, overrides: { terminal?: Terminal } = {}): Promise<number> {
  const { values, positionals } = readArguments(context, addFlags);
  refuseMore(positionals, 2);
  const kind = kindNamed(positionals[0]);
  const name = hookNamed(positionals[1] ?? kind.id);
  const given = await draftOf(values, kind, () => context.readInput());
  const file = await findConfigFile(context, values.config);
  const isNew = !existsSync(file);
  const before = isNew
    ? await emptyConfig(file, context)
    : (await loadSettings(context, values.config)).config;
  if (before.hooks.senders.some((sender) => sender.name === name)) throw existsAlready(name, file);
  const ready = mappingsNeeded(before, name) ? readyMappings({ ...kind, label: labelOf(kind, name) }) : [];
  const { terminal = processTerminal(context) } = overrides;
  const draft = await completed(given, { kind, name, config: before, ready, values, terminal });
  const picked = chosen(ready, draft.mappings);
  if (isNew) await makeHome(file, { overwrite: false });
  const { config } = await loadSettings(context, values.config);
  context.audit({ verb: "sender.add", subject: name, store: config.store });
  const mappings = picked.map((each) => ownMapping(each, kind, name, config));
  const written = writeEntry(config, { name, kind, draft, mappings, isNew }, context.env);
  const address = addressFor(config, name, draft.publicUrl);
  report(context, { name, kind, draft, picked, mappings, written, address, config, values });
  return 0;
}

/** What there is before a home is made. */
async function emptyConfig(file: string, { env }: Context): Promise<Config> {
  const { parseConfig } = await import("../../config/load.ts");
  const parsed = parseConfig("{}", { file, env, readFile: () => "" });
  if (!parsed.ok) throw new Error("an empty config has no problems");
  return parsed.config;
}

export function kindNamed(written: string | undefined): SenderKind {
  if (written === undefined)
    throw new WrongUsage("Name the kind, such as github. All of them: rouse senders kinds");
  const kind = senderKinds.get(written.toLowerCase());
  if (kind !== undefined) return kind;
  const near = nearest(written, [...senderKinds.keys()]);
  throw new WrongUsage(
    `There is no kind "${written}". ${near === null ? "All of them: rouse senders kinds. For others: custom" : `Did you mean ${near}?`}`,
  );
}

function hookNamed(written: string): string {
  const name = written.trim().replace(/^\/+|\/+$/g, "");
  const fault = hookNameFault(name);
  if (fault === null) return name;
  throw new WrongUsage(`The name ${JSON.stringify(written)} ${fault}.`);
}

/** One that is there already goes on. */
const mappingsNeeded = ({ hooks }: Config, name: string): boolean =>
  hooks.mappings.every(({ match }) => match.path !== name);

type Completing = {
  kind: SenderKind;
  name: string;
  config: Config;
  ready: readonly ReadyMapping[];
  values: AddValues;
  terminal: Terminal;
};

async function completed(draft: Draft, about: Completing): Promise<Draft> {
  const { kind, name, config, ready, values, terminal } = about;
  const stepsAt = (publicUrl: string | null): string[] =>
    stepsFor(kind, { name, address: addressFor(config, name, publicUrl).url, secret: madeSecret(draft) });
  if (terminal.isInteractive && !values.json) {
    const { askMissing } = await import("./ask.ts");
    return askMissing(draft, { kind, stepsAt, topics: ready.map(({ topic }) => topic) }, terminal);
  }
  const steps = ["", `At ${labelOf(kind, name)}:`, ...numbered(stepsAt(draft.publicUrl))].join("\n");
  if (lacksSecret(kind, draft))
    throw new UsageError(
      kind.secret.from === "public-key"
        ? `Give the public key: it is ${kind.secret.where}. --public-key KEY, or --public-key-file FILE.\n${steps}`
        : `Give the secret: it is ${kind.secret.where}. --secret-file FILE, or --secret - for standard input.\n${steps}`,
    );
  const [missing] = missingSettings(kind, draft);
  if (missing) throw new UsageError(`${kind.label} needs ${flagOf[missing[0]]}: ${missing[1]}.\n${steps}`);
  if (kind.id === "custom" && draft.settings["custom"] === undefined)
    throw new UsageError("Say how it proves itself: --custom FILE. The file's form: docs/senders.md#custom");
  return draft;
}

export const numbered = (steps: readonly string[]): string[] =>
  steps.map((step, at) => `  ${at + 1}. ${step}`);

function chosen(ready: readonly ReadyMapping[], topics: readonly string[]): readonly ReadyMapping[] {
  if (ready.length === 0 || topics.length === 0) return ready.slice(0, 1);
  return topics.map((topic) => {
    const found = ready.find((each) => each.topic === topic);
    if (found !== undefined) return found;
    const known = ready.map((each) => each.topic).join(", ");
    throw new WrongUsage(`There is no ready mapping "${topic}" for this kind. There is: ${known}.`);
  });
}

/** Without a session key that the config would refuse. */
function ownMapping(ready: ReadyMapping, kind: SenderKind, name: string, { hooks }: Config): MappingSettings {
  const taken = hooks.mappings.map(({ id }) => id);
  const { sessionKey, ...rest } = mappingFor(ready, { kind: kind.id, name, taken });
  const isAllowed = sessionKey !== undefined && hasAllowedPrefix(sessionKey, hooks.allowedSessionKeyPrefixes);
  return isAllowed ? { ...rest, sessionKey } : rest;
}

const madeSecret = ({ secret }: Draft): string | null =>
  secret !== null && "text" in secret && secret.isMade ? secret.text : null;

type Report = Pick<Completing, "kind" | "name" | "config" | "values"> & {
  draft: Draft;
  picked: readonly ReadyMapping[];
  mappings: readonly MappingSettings[];
  written: Written;
  address: Address;
};

function report(context: Context, about: Report): void {
  const { name, kind, draft, mappings, written, address, config, values } = about;
  const { file } = config;
  const secret = madeSecret(draft);
  const verifyToken =
    draft.verifyToken !== null && "text" in draft.verifyToken ? draft.verifyToken.text : null;
  const steps = stepsFor(kind, { name, address: address.url, secret });
  const ids = mappings.flatMap(({ id }) => id ?? []);
  const files = written.secretFiles.map((each) => join(dirname(file), each));
  if (values.json)
    return printJson(context, {
      name,
      kind: kind.id,
      file,
      backup: written.backup,
      address: address.isPlaceholder ? null : address.url,
      secret,
      verifyToken,
      secretFiles: files,
      mappings: ids,
      steps,
    });
  const print = (text: string): void => printLine(context, text);
  print(
    `Sender:  ${name} (${kind.label}), in ${file}${written.backup === null ? ", which is new, with two fresh tokens" : ""}`,
  );
  if (written.backup !== null) print(`Before:  ${written.backup}`);
  if (written.isEnabled) print("Hooks:   were off, and are on now");
  if (files.length > 0) print(`Secret:  ${files.join(", ")} (only you can read it)`);
  print(`Mapping: ${ids.length > 0 ? ids.join(", ") : `yours for ${name} goes on`}`);
  print(`\nAt ${labelOf(kind, name)}:\n${numbered(steps).join("\n")}\n`);
  print(`  Address: ${address.url}`);
  if (secret !== null) print(`  Secret:  ${secret}`);
  if (verifyToken !== null) print(`  Verify token: ${verifyToken}`);
  print(["", ...addressNotes(address, name), ...tryLines(about)].join("\n"));
}

function tryLines({ name, picked: [first], kind }: Report): string[] {
  const lines = ["A running gateway takes it up within seconds. Who has called: rouse senders"];
  if (!first?.example || kind.secret.from === "pairing") return lines;
  const { payload, headers } = first.example;
  return [
    ...lines,
    "Try it, signed as the sender would:",
    `  rouse send ${name} --file ${payload}${headers === null ? "" : ` --headers ${headers}`} --wait`,
  ];
}

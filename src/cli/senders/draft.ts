// What `senders add` is told by its flags, and what a person may still be asked for.
import { existsSync, readFileSync } from "node:fs";
import { parse, type ParseError } from "jsonc-parser";
import { whyUnreadable } from "../../config/read/why-unreadable.ts";
import { UsageError } from "../../core/errors.ts";
import type { KeyForm, SenderKind } from "../../hooks/senders/kind.ts";
import type { SpecialSetting } from "../../hooks/senders/settings.ts";
import { WrongUsage } from "../command.ts";
import type { Values } from "../terminal/arguments.ts";
import type { addFlags } from "./options.ts";
import { keyFormOf, makeSecret } from "./secrets.ts";

export type AddValues = Values<typeof addFlags>;

/** A text to keep in a file of ours, or a file of the operator's to name. `isMade`: nobody else knows it yet. */
export type Kept = { text: string; isMade: boolean } | { file: string };

export type Draft = {
  secret: Kept | null;
  verifyToken: Kept | null;
  publicKey: string | { file: string } | null;
  publicUrl: string | null;
  /** Further settings of the sender, as the config has them. */
  settings: Readonly<Record<string, unknown>>;
  /** Topics of ready mappings; empty: the first one. */
  mappings: readonly string[];
};

/** The flag of each setting that only some kinds have. */
export const flagOf: Readonly<Record<SpecialSetting, string>> = {
  publicKey: "--public-key-file FILE",
  publicUrl: "--public-url URL",
  verifyToken: "--verify-token TEXT",
  origins: "--origin ORIGIN",
  topicArns: "--topic-arn ARN",
  audience: "--audience TEXT",
  serviceAccountEmail: "--service-account ADDRESS",
  webhookId: "--webhook-id ID",
  header: "--header NAME",
};

export async function draftOf(
  values: AddValues,
  kind: SenderKind,
  readInput: () => Promise<string>,
): Promise<Draft> {
  const custom = readCustom(values.custom, kind);
  const settings = {
    origins: values.origin,
    topicArns: values["topic-arn"],
    audience: values.audience,
    serviceAccountEmail: values["service-account"],
    webhookId: values["webhook-id"],
    header: values.header,
    custom,
  };
  const draft = {
    secret: await readSecret(values, readInput),
    verifyToken: keptText(values["verify-token"]),
    publicKey: readPublicKey(values),
    publicUrl: readPublicUrl(values["public-url"]),
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    mappings: values.mapping ?? [],
  };
  return withMade(draft, kind);
}

/** Makes what is ours to choose. */
function withMade(draft: Draft, kind: SenderKind): Draft {
  const { secret, needs } = kind;
  const isOurs = secret.from === "us" && draft.publicKey === null;
  const made = (form: KeyForm): Kept => ({ text: makeSecret(kind, form), isMade: true });
  return {
    ...draft,
    secret: draft.secret ?? (isOurs ? made(customForm(draft) ?? keyFormOf(kind)) : null),
    verifyToken:
      draft.verifyToken ??
      (needs?.verifyToken === undefined ? null : { text: makeSecret(kind, "hex"), isMade: true }),
  };
}

const keyForms: readonly string[] = ["text", "base64", "whsec", "hex"] satisfies KeyForm[];

function customForm({ settings: { custom } }: Draft): KeyForm | null {
  const form = (custom as { key?: unknown } | undefined)?.key;
  return keyForms.includes(String(form)) ? (form as KeyForm) : null;
}

async function readSecret(
  { secret, "secret-file": file }: AddValues,
  readInput: () => Promise<string>,
): Promise<Kept | null> {
  if (secret !== undefined && file !== undefined)
    throw new WrongUsage("--secret and --secret-file cannot both be given.");
  if (file !== undefined) return { file: existing(file) };
  if (secret === undefined) return null;
  if (secret !== "-")
    throw new WrongUsage(
      "A secret is never an argument: other users could see it. Use --secret-file FILE, or --secret - for standard input.",
    );
  const given = (await readInput()).replace(/(?<![\r\n])[\r\n]+$/, "");
  if (given.trim() === "") throw new UsageError("Standard input has no secret. Nothing was changed.");
  return { text: given, isMade: false };
}

const keptText = (written: string | undefined): Kept | null =>
  written === undefined ? null : { text: written, isMade: false };

function readPublicKey({ "public-key": key, "public-key-file": file }: AddValues): Draft["publicKey"] {
  if (key !== undefined && file !== undefined)
    throw new WrongUsage("--public-key and --public-key-file cannot both be given.");
  return file === undefined ? (key ?? null) : { file: existing(file) };
}

function existing(file: string): string {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}. Nothing was changed.`);
  return file;
}

function readPublicUrl(written: string | undefined): string | null {
  if (written === undefined) return null;
  const fault = publicUrlFault(written);
  if (fault !== null) throw new WrongUsage(`--public-url ${fault}`);
  return written.trim();
}

export const publicUrlFault = (written: string): string | null =>
  /^https?:\/\//i.test(written.trim()) && URL.canParse(written.trim())
    ? null
    : "must be an address such as https://hooks.example.com";

function readCustom(written: string | undefined, { id }: SenderKind): unknown {
  if (written === undefined) return undefined;
  if (id !== "custom") throw new WrongUsage("--custom is for the kind custom.");
  const file = existing(written);
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(readFileSync(file, "utf8"), errors, { allowTrailingComma: true });
  } catch (fault) {
    throw new UsageError(`The file ${file} cannot be read: ${whyUnreadable(fault)}.`);
  }
  if (errors.length > 0) throw new UsageError(`The file ${file} is not JSON. Nothing was changed.`);
  return value;
}

/** Settings that the kind cannot do without and the draft has not, each with where its value is found. */
export function missingSettings(kind: SenderKind, draft: Draft): [SpecialSetting, string][] {
  const needs = Object.entries(kind.needs ?? {}) as [SpecialSetting, string][];
  return needs.filter(([name]) => !has(draft, name));
}

const has = (draft: Draft, name: SpecialSetting): boolean =>
  name === "publicKey" || name === "publicUrl" || name === "verifyToken"
    ? draft[name] !== null
    : draft.settings[name] !== undefined;

/** Whether a secret that only the sender knows is not there. */
export const lacksSecret = ({ secret: { from } }: SenderKind, draft: Draft): boolean =>
  (from === "sender" && draft.secret === null && draft.publicKey === null) ||
  (from === "public-key" && draft.publicKey === null);

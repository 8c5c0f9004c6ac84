// A sender and its mappings in the config: written together with the secret, or not at all. Comments stay.
import { dirname, isAbsolute, relative, sep } from "node:path";
import { findNodeAtLocation, getNodeValue, parseTree } from "jsonc-parser";
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../config/problem.ts";
import type { MappingSettings } from "../../config/schema/mapping.ts";
import { replaceConfig } from "../../config/write/replace.ts";
import { editConfig, insertIntoConfig, literal, newToken } from "../../config/write/write.ts";
import { UsageError } from "../../core/errors.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { prepareSenders } from "../../hooks/senders/prepare.ts";
import { completeUrl } from "./instructions.ts";
import type { Draft, Kept } from "./draft.ts";
import { removeSecret, secretName, writeSecret } from "./secrets.ts";

export type Entry = {
  name: string;
  kind: SenderKind;
  draft: Draft;
  /** As they come into the config. */
  mappings: readonly MappingSettings[];
  /** The config was made just now: nobody needs it as it was. */
  isNew: boolean;
};

export type Written = { backup: string | null; secretFiles: string[]; isEnabled: boolean };

export function writeEntry({ file, hooks }: Config, entry: Entry, env: NodeJS.ProcessEnv): Written {
  const { name, isNew } = entry;
  const written: string[] = [];
  const isEnabled = !hooks.enabled;
  const edit = (text: string): string => {
    if (valueAt(text, ["hooks", "senders", name]) !== undefined) throw existsAlready(name, file);
    for (const [secret, text] of ownSecrets(entry)) {
      writeSecret(file, secret, text);
      written.push(secret);
    }
    const started = isEnabled ? enable(text, hooks.tokens.length > 0) : text;
    const added = editConfig(started, ["hooks", "senders", name], senderValue(entry, { file, hooks }));
    return entry.mappings.reduce(addMapping, added);
  };
  try {
    const what = `hooks.senders.${name}`;
    const backup = replaceConfig(file, edit, { what, env, backup: !isNew, check: senderProblems });
    return { backup, secretFiles: written, isEnabled };
  } catch (fault) {
    for (const each of written) removeSecret(file, each);
    throw fault;
  }
}

export const existsAlready = (name: string, file: string): UsageError =>
  new UsageError(
    `There is a sender ${name} in ${file} already. Give this one another name, or remove that one: rouse senders remove ${name}`,
  );

/** What the kinds say of the senders of a config. */
export function senderProblems({ hooks }: Config): readonly Finding[] {
  const prepared = prepareSenders(hooks.senders, hooks.mappings);
  return prepared.ok ? [] : prepared.findings;
}

function enable(text: string, hasToken: boolean): string {
  const enabled = editConfig(text, ["hooks", "enabled"], true);
  return hasToken ? enabled : editConfig(enabled, ["hooks", "token"], newToken());
}

/** The texts that get files of their own, by the name of the file. */
const ownSecrets = ({ name, draft: { secret, verifyToken } }: Entry): [string, string][] => [
  ...ownText(secret, secretName(name)),
  ...ownText(verifyToken, secretName(name, "-verify-token")),
];

const ownText = (kept: Kept | null, name: string): [string, string][] =>
  kept !== null && "text" in kept ? [[name, kept.text]] : [];

function senderValue(
  { name, kind, draft }: Entry,
  { file, hooks }: Pick<Config, "file" | "hooks">,
): Record<string, unknown> {
  const reference = (kept: Kept, own: string): unknown => ({
    file: "file" in kept ? shortPath(file, kept.file) : own,
  });
  const { secret, verifyToken, publicKey, publicUrl, settings } = draft;
  const usesUrl = kind.needs?.publicUrl !== undefined || (kind.takes ?? []).includes("publicUrl");
  return {
    kind: kind.id,
    ...(secret && { secret: literal(reference(secret, secretName(name))) }),
    ...(publicKey !== null && {
      publicKey: literal(
        typeof publicKey === "string" ? publicKey : { file: shortPath(file, publicKey.file) },
      ),
    }),
    ...(usesUrl &&
      publicUrl !== null && { publicUrl: literal(completeUrl(publicUrl, `${hooks.path}/${name}`)) }),
    ...(verifyToken && { verifyToken: literal(reference(verifyToken, secretName(name, "-verify-token"))) }),
    ...(literal(settings) as object),
  };
}

/** Relative to the config's folder where it is inside of it. */
function shortPath(config: string, file: string): string {
  const short = relative(dirname(config), file);
  return isAbsolute(short) || short.startsWith("..") ? file : short.split(sep).join("/");
}

const mappingsPath = ["hooks", "mappings"];

/** Before the first that takes any name: behind it, it would never be reached. */
function addMapping(text: string, mapping: MappingSettings): string {
  const present = valueAt(text, mappingsPath);
  if (!Array.isArray(present)) return editConfig(text, mappingsPath, [mapping]);
  const open = present.findIndex((each: { match?: { path?: unknown } } | null) => !each?.match?.path);
  return insertIntoConfig(text, [...mappingsPath, open === -1 ? present.length : open], mapping);
}

/** Removes a sender and, where asked for, the mappings of its hook. */
export function withoutSender(text: string, name: string, keepMappings: boolean): string {
  const removed = editConfig(text, ["hooks", "senders", name], undefined);
  if (keepMappings) return removed;
  const present = valueAt(removed, mappingsPath);
  const all = Array.isArray(present) ? (present as { match?: { path?: unknown } }[]) : [];
  const own = all.flatMap((each, at) => (hookOf(each?.match?.path) === name ? [at] : []));
  return own.toReversed().reduce((rest, at) => editConfig(rest, [...mappingsPath, at], undefined), removed);
}

const hookOf = (path: unknown): string | null =>
  typeof path === "string" ? path.trim().replace(/^\/+|\/+$/g, "") : null;

export function valueAt(text: string, path: readonly (string | number)[]): unknown {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, [...path]);
  return node && getNodeValue(node);
}

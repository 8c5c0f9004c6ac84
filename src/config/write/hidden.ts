// A config as it may be shown: each secret that stands in it is replaced by a mark, and comes back when the edited text
// still has the mark. References (`${NAME}`, { "file": … }) are no secrets and stay.
import { hash } from "node:crypto";
import type { Node } from "jsonc-parser";
import type { Path, Problem } from "../problem.ts";
import { formatPath } from "../problem.ts";
import { expand, readSecret, type Sources } from "../read/secrets.ts";
import { parseSyntax } from "../read/syntax.ts";
import { settingsSchema } from "../schema/index.ts";
import { isKnown, isSecret } from "../schema/lookup.ts";

/** `inSecret`: it stood where the config has a secret, and may stand nowhere else. */
type Hidden = { mark: string; raw: string; inSecret: boolean };
export type HiddenText = { text: string; hidden: readonly Hidden[] };

type Literal = { offset: number; length: number; path: Path; value: string };

const onlyReferences = /^(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/;
/** Shorter values are words that stand in any text. */
const shortestElsewhere = 6;
const markShape = /<hidden [\w-]{8}-\d+>/g;

/** What may be a secret: a secret's own setting, and text in a setting that is not known. */
const mayBeSecret = (path: Path): boolean => isSecret(settingsSchema, path) || !isKnown(settingsSchema, path);

/** Null: the text is not well-formed, so nobody can say what in it is a secret. */
export function hideSecrets(text: string, sources: Sources): HiddenText | null {
  const syntax = parseSyntax(text.replace(/^\uFEFF/, " "));
  if (!syntax.ok) return null;
  const literals = literalsIn(syntax.root, []);
  const secret = literals.filter(
    ({ path, value }) => mayBeSecret(path) && !onlyReferences.test(value) && value !== "",
  );
  const name = hash("sha256", text, "base64url").slice(0, 8);
  const spans = [
    ...secret.map(({ offset, length }) => ({ offset: offset + 1, length: length - 2, inSecret: true })),
    ...elsewhere(text, secret, valuesOf(syntax.root, [], sources)),
  ].toSorted((a, b) => a.offset - b.offset);
  const hidden: Hidden[] = [];
  let shown = "";
  let at = 0;
  for (const { offset, length, inSecret } of spans) {
    const mark = `<hidden ${name}-${hidden.length + 1}>`;
    hidden.push({ mark, raw: text.slice(offset, offset + length), inSecret });
    shown += text.slice(at, offset) + mark;
    at = offset + length;
  }
  return { text: shown + text.slice(at), hidden };
}

/** The texts of a config, with their places in it. */
function literalsIn(node: Node, path: Path): Literal[] {
  if (node.type === "string")
    return [{ offset: node.offset, length: node.length, path, value: String(node.value) }];
  const children = node.children ?? [];
  if (node.type === "array") return children.flatMap((child, at) => literalsIn(child, [...path, at]));
  return children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? literalsIn(value, [...path, String(key.value)]) : [],
  );
}

/** The secrets' values, wherever they come from. */
function valuesOf(node: Node, path: Path, sources: Sources): string[] {
  if (node.type === "object" && isSecret(settingsSchema, path)) {
    const file = literalsIn(node, [])[0]?.value;
    const read = file === undefined ? null : readSecret(file, sources);
    return read?.ok ? [read.value] : [];
  }
  if (node.type === "string") {
    if (!mayBeSecret(path)) return [];
    const read = expand(String(node.value), sources.env);
    return read.ok ? [read.value] : [];
  }
  const children = node.children ?? [];
  if (node.type === "array") return children.flatMap((child, at) => valuesOf(child, [...path, at], sources));
  return children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? valuesOf(value, [...path, String(key.value)], sources) : [],
  );
}

type Span = { offset: number; length: number; inSecret: boolean };

/** Where a secret's value also stands: in a comment, or in a setting that is no secret. */
function elsewhere(text: string, secret: readonly Literal[], values: readonly string[]): Span[] {
  const taken: { offset: number; length: number }[] = [...secret];
  const found: Span[] = [];
  const written = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))]
    .filter((value) => value.length >= shortestElsewhere)
    .toSorted((a, b) => b.length - a.length);
  for (const value of written)
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      const span = { offset: at, length: value.length, inSecret: false };
      if (taken.some((each) => overlaps(each, span))) continue;
      taken.push(span);
      found.push(span);
    }
  return found;
}

type Place = { offset: number; length: number };
const overlaps = (a: Place, b: Place): boolean =>
  a.offset < b.offset + b.length && b.offset < a.offset + a.length;

/** The text with what its marks stand for, or where a mark stands that cannot be replaced. */
export function restoreSecrets(
  edited: string,
  { hidden }: HiddenText,
): { text: string } | { problems: Problem[] } {
  const syntax = parseSyntax(edited.replace(/^\uFEFF/, " "));
  const literals = syntax.ok ? literalsIn(syntax.root, []) : [];
  const known = new Map(hidden.map((each) => [each.mark, each]));
  const problems: Problem[] = [];
  const text = edited.replaceAll(markShape, (mark, at: number) => {
    const value = known.get(mark);
    const place = literals.find(({ offset, length }) => offset < at && at < offset + length);
    const fault = faultOf(value, place);
    if (fault === null) return value!.raw;
    problems.push({ path: place ? formatPath(place.path) : "", message: fault, ...positionOf(edited, at) });
    return mark;
  });
  return problems.length > 0 ? { problems } : { text };
}

function faultOf(value: Hidden | undefined, place: Literal | undefined): string | null {
  if (value === undefined) return "stands for a secret that is not in the present file: read it again";
  if (!value.inSecret) return null;
  if (place === undefined)
    return 'a hidden secret cannot be kept in a comment or a name: write ${NAME} or { "file": … } instead';
  return mayBeSecret(place.path) ? null : "a hidden secret cannot be moved to a setting that is no secret";
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

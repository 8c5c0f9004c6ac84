// A path into JSON, written `messages[0].from`. Only own properties count; numbers are indexes of arrays.

export type FieldPath = readonly (string | number)[];

const segment = /^(?:\.?([^.[\]\s]+)|\[(\d{1,9})\])/;

/** Null when it is no path. */
export function parseFieldPath(written: string): FieldPath | null {
  const path: (string | number)[] = [];
  let rest = written.trim();
  if (rest === "" || rest.startsWith(".")) return null;
  while (rest !== "") {
    const found = segment.exec(rest);
    if (!found || (path.length > 0 && found[1] !== undefined && !rest.startsWith("."))) return null;
    path.push(found[1] ?? Number(found[2]));
    rest = rest.slice(found[0].length);
  }
  return path;
}

/** Field paths with `[*]` between them, which stands for any element of a list: `labels[*].name`. */
export type FilterPath = readonly FieldPath[];

const anyElement = "[*]";

/** Null when it is no path. */
export function parseFilterPath(written: string): FilterPath | null {
  const [first = "", ...others] = written.trim().split(anyElement);
  const start = first === "" && others.length > 0 ? [] : parseFieldPath(first);
  const rest = others.map(parseInside);
  return start === null || rest.includes(null) ? null : [start, ...(rest as FieldPath[])];
}

/** What follows `[*]`: nothing, `.name…` or `[1]…`. */
function parseInside(written: string): FieldPath | null {
  if (written === "") return [];
  if (written.startsWith("[")) return parseFieldPath(written);
  return written.startsWith(".") && !written.startsWith(".[") ? parseFieldPath(written.slice(1)) : null;
}

/** The values at the path, of all elements. `oneIsList`: a value that is no list counts as a list of one. */
export function readFields(value: unknown, [first, ...rest]: FilterPath, oneIsList = false): unknown[] {
  const found = readField(value, first ?? []);
  let values = found === undefined ? [] : [found];
  for (const path of rest) {
    const elements = values.flatMap((each) => (Array.isArray(each) ? each : oneIsList ? [each] : []));
    values = elements.map((each) => readField(each, path)).filter((each) => each !== undefined);
  }
  return values;
}

/** Undefined when the path leads nowhere. */
export function readField(value: unknown, path: FieldPath): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null) return undefined;
    if ((typeof part === "number") !== Array.isArray(found) || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}

/** A copy with another value at the path, which must exist. All that is not on the path is shared. */
export function replaceField(value: unknown, path: FieldPath, replacement: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item, at) => (at === part ? replaceField(item, rest, replacement) : (item as unknown)));
  }
  const entries = Object.entries(value as object).map(([name, inner]) => [
    name,
    name === part ? replaceField(inner, rest, replacement) : (inner as unknown),
  ]);
  return Object.fromEntries(entries);
}

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

// Reads headers from the raw list, which still shows repeated ones.

export const repeated = Symbol("repeated header");

/** The value of a header that may stand only once. `name` in lower case. */
export function singleHeader(
  rawHeaders: readonly string[],
  name: string,
): string | undefined | typeof repeated {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isNamed(rawHeaders[at]!, name)) continue;
    if (found !== undefined) return repeated;
    found = rawHeaders[at + 1]!;
  }
  return found;
}

/** All values of a header that is a list, in order. */
export function listHeader(rawHeaders: readonly string[], name: string): string {
  let joined = "";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (isNamed(rawHeaders[at]!, name))
      joined += joined === "" ? rawHeaders[at + 1]! : `,${rawHeaders[at + 1]!}`;
  }
  return joined;
}

const isNamed = (written: string, name: string): boolean =>
  written.length === name.length && (written === name || written.toLowerCase() === name);

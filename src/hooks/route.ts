// Which hook a request target names. Read from the raw target and never decoded: what a proxy before us and we
// could understand differently is not found.

export type Route = { name: string; hasTokenInQuery: boolean };

const ambiguous = /\/\/|\\|%2f|%5c|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** `base`: with a leading and without a trailing slash. Null: not under it. The base itself has an empty name. */
export function matchRoute(target: string, base: string): Route | null {
  if (!isUnder(target, base)) return null;
  const queryAt = target.indexOf("?");
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (ambiguous.test(path)) return null;
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  return {
    name: path.slice(base.length + 1, end),
    hasTokenInQuery: queryAt !== -1 && hasToken(target.slice(queryAt + 1)),
  };
}

/** Whether the target is the base or below it, whatever else is wrong with it. */
export function isUnder(target: string, base: string): boolean {
  if (!target.startsWith(base)) return false;
  const next = target.charCodeAt(base.length);
  return Number.isNaN(next) || next === 0x2f || next === 0x3f;
}

/** Form decoders take a second `?` for the beginning, too. */
function hasToken(query: string): boolean {
  return query
    .replace(/^\?+/, "")
    .split(/[&;]/)
    .some((pair) => {
      const end = pair.indexOf("=");
      const key = end === -1 ? pair : pair.slice(0, end);
      return decodeAscii(key).toLowerCase() === "token";
    });
}

const decodeAscii = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

// Finds the hook that a request target names. The raw target is never decoded, and one that a proxy before us might
// read differently names no hook.

export type Route = { name: string; hasTokenInQuery: boolean };

const ambiguous = /\/\/|\\|%2f|%5c|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** `base` starts with a slash and does not end with one; by itself it has the empty name. Null: not under the base. */
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

/** Whether the target is the base or below it, valid or not. */
function isUnder(target: string, base: string): boolean {
  if (!target.startsWith(base)) return false;
  const next = target.charCodeAt(base.length);
  return Number.isNaN(next) || next === 0x2f || next === 0x3f;
}

/** Whether a query has a parameter `token`. Skips further `?`, as some form decoders do. */
export function hasToken(query: string): boolean {
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

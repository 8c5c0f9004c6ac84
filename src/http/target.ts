// The target of a request as its sender wrote it, and the path and query that routes look at.

/** An authority as a URI may have it, without user information: HTTP allows none in a target or a `Host`. */
const authority = /^(?:\[[\w.:%~-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;
const absolute = /^https?:\/\/([^/?#]*)(.*)$/i;

export const isAuthority = (written: string): boolean => authority.test(written);

/**
 * Path and query. An absolute-form target, which clients send to a proxy, loses its scheme and authority: whoever wrote
 * them is not trusted, so nothing may depend on them. Null: its authority is not well-formed.
 */
export function originForm(written: string): string | null {
  if (isOriginForm(written)) return written;
  const parts = absolute.exec(written);
  // An asterisk, or an address of another scheme. No route has it.
  if (parts === null) return written;
  const [, host = "", rest = ""] = parts;
  if (host === "" || host.startsWith(":") || !isAuthority(host)) return null;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

export const isOriginForm = (written: string): boolean => written.startsWith("/");

// The Content-Type of a body: which kind of body it announces, and its parameters.

export const bodyTypes = ["json", "form", "multipart", "xml"] as const;
export type BodyType = (typeof bodyTypes)[number];

export type MediaType = { readonly body: BodyType; readonly boundary: string | null };

const json: MediaType = { body: "json", boundary: null };

/**
 * Null: no kind of body that is taken, a charset other than UTF-8, or parameters that cannot be read. Without a type a
 * body is JSON. JSON is always UTF-8, so its charset says nothing.
 */
export function readMediaType(written: string | undefined): MediaType | null {
  if (written === undefined || written === "application/json") return json;
  const end = written.indexOf(";");
  const body = bodyOf((end === -1 ? written : written.slice(0, end)).trim().toLowerCase());
  if (body === null || body === "json") return body && json;
  const parameters = end === -1 ? new Map<string, string>() : readParameters(written.slice(end));
  if (parameters === null || !isUtf8(parameters.get("charset"))) return null;
  const boundary = parameters.get("boundary") ?? null;
  if (body === "multipart") return isBoundary(boundary) ? { body, boundary } : null;
  return { body, boundary: null };
}

function bodyOf(type: string): BodyType | null {
  if (type === "" || type === "application/json" || type === "text/plain") return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "multipart";
  if (type === "application/xml" || type === "text/xml") return "xml";
  const [, suffix] = structuredSuffix.exec(type) ?? [];
  return suffix === "json" || suffix === "xml" ? suffix : null;
}

const structuredSuffix = /^[^/\s+]+\/[^/\s]+\+(json|xml)$/;

const isUtf8 = (charset: string | undefined): boolean =>
  charset === undefined || ["utf-8", "utf8", "us-ascii"].includes(charset.toLowerCase());

/** RFC 2046. */
const isBoundary = (boundary: string | null): boolean =>
  boundary !== null && /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary);

const parameter = /;[ \t]*(?:([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?[ \t]*/y;

/** Names in lower case. Null: they cannot be read, or one stands there twice. `written` begins with a semicolon. */
export function readParameters(written: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>();
  let at = 0;
  while (at < written.length) {
    parameter.lastIndex = at;
    const [whole, name, quoted, plain] = parameter.exec(written) ?? [];
    if (whole === undefined) return null;
    at += whole.length;
    const key = name?.toLowerCase();
    if (key === undefined) continue;
    if (found.has(key)) return null;
    found.set(key, quoted === undefined ? (plain ?? "") : quoted.replace(/\\(["\\])/g, "$1"));
  }
  return found;
}

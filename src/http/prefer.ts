// What a caller would like, if that is possible: `Prefer` (RFC 7240), and the media types of `Accept` (RFC 9110, 12.5.1).
import { listHeader } from "./headers.ts";

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const part = new RegExp(`^(${token})(?:[ \\t]*=[ \\t]*(${token}|"(?:[^"\\\\]|\\\\.)*")?)?$`);
const longestHeader = 1000;

/**
 * The value of a preference, its name in lower case; empty where it has none, null where it is not there. Of several, the
 * first counts. What is malformed is left out.
 */
export function preferred(rawHeaders: readonly string[], name: string): string | null {
  const written = listHeader(rawHeaders, "prefer");
  if (written === "" || written.length > longestHeader) return null;
  for (const preference of split(written, ",")) {
    const [first, ...parameters] = split(preference, ";").map(
      (each) => part.exec(each.trim()) ?? each.trim(),
    );
    if (!Array.isArray(first) || first[1]!.toLowerCase() !== name) continue;
    if (parameters.every((each) => each === "" || Array.isArray(each))) return unquoted(first[2] ?? "");
  }
  return null;
}

/** At this separator, where it is not inside of quotes. */
function split(text: string, separator: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) parts.push("");
    else parts[parts.length - 1] += character;
    if (character === "\\" && isQuoted) parts[parts.length - 1] += text[++at] ?? "";
  }
  return parts;
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;

export const longestWaitSeconds = 60;

/** How long the caller would wait, at most a minute; null: not at all. */
export function preferredWait(rawHeaders: readonly string[]): number | null {
  const value = preferred(rawHeaders, "wait");
  if (value === null || !/^[0-9]+$/.test(value)) return null;
  return Math.min(Number(value), longestWaitSeconds) || null;
}

const eventStream = "text/event-stream";
const weightPattern = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** Whether the caller prefers events to JSON. Where it likes both as well, it gets JSON. */
export function prefersEvents(rawHeaders: readonly string[]): boolean {
  const written = listHeader(rawHeaders, "accept").toLowerCase();
  if (written.length > longestHeader || !written.includes(eventStream)) return false;
  const weights = new Map(split(written, ",").map(weightedType));
  const weightOf = (type: string): number =>
    weights.get(type) ?? weights.get(`${type.split("/")[0]}/*`) ?? weights.get("*/*") ?? 0;
  return weightOf(eventStream) > weightOf("application/json");
}

function weightedType(range: string): [string, number] {
  const [type = "", ...parameters] = range.split(";").map((each) => each.trim());
  const weight = parameters.map((each) => weightPattern.exec(each)?.[1]).find((each) => each !== undefined);
  return [type, Number(weight ?? 1)];
}

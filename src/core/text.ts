// Cuts text without breaking a character.

/** At most `limit` UTF-16 units, never half a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

export const cutWithMark = (text: string, limit: number, mark = "…"): string =>
  text.length <= limit ? text : cut(text, limit - mark.length) + mark;

/** One line without control characters: for names and reasons inside a line of ours. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();

/** An address that paths are put behind. */
export const withoutEndSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, "");

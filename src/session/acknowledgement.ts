// Tells whether a reply only acknowledges that nothing needs attention. Such a reply is not delivered.

export const acknowledgementToken = "HEARTBEAT_OK";
const mostOtherCharacters = 300;

const tags =
  /<\/?(?:a|b|big|blockquote|body|br|center|code|div|em|font|h[1-6]|hr|html|i|kbd|li|ol|p|pre|s|samp|small|span|strong|sub|sup|tt|u|ul)(?:\s+[a-z-]+=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))*\s*\/?>/gi;
const fences = /^[ \t]*(?:```|~~~)[ \t]*(?:[\w-]+[ \t]*)?$/gm;
const spaces = /&nbsp;/gi;

/** Markdown's and chat platforms' signs, punctuation, white space and invisible characters. */
const around = String.raw`[\p{P}\p{Sk}\p{Sm}\p{Z}\p{Cf}\p{Cc}\uFE0F]`;
const onlyTokens = new RegExp(`^${around}*(?:${acknowledgementToken}${around}*)+$`, "u");
const atStart = new RegExp(`^${around}*${acknowledgementToken}(?![\\p{L}\\p{N}])`, "u");
const atEnd = new RegExp(`(?<![\\p{L}\\p{N}])${acknowledgementToken}${around}*$`, "u");

/** With `heartbeat`, up to 300 other characters may stand before or after the token. */
export function isAcknowledgement(reply: string, { heartbeat }: { heartbeat: boolean }): boolean {
  if (!reply.includes("HEARTBEAT")) return false;
  const text = withoutMarkup(reply);
  if (onlyTokens.test(text)) return true;
  if (!heartbeat || text.length > 2 * (mostOtherCharacters + acknowledgementToken.length)) return false;
  if (!atStart.test(text) && !atEnd.test(text)) return false;
  const others = text.replace(acknowledgementToken, "").trim();
  return Array.from(others).length <= mostOtherCharacters;
}

const withoutMarkup = (reply: string): string =>
  reply.replace(tags, " ").replace(fences, " ").replace(spaces, " ").replaceAll("\\_", "_").trim();

// A reply in Markdown becomes the messages of a platform.

import { codeLines, linesOf, type Layout } from "./blocks.ts";
import { plain, slack, telegram, whatsapp } from "./dialects.ts";
import { lexMarkdown } from "./lex.ts";
import { markdown, markdownWithTables } from "./markdown.ts";
import { measure, type Limit } from "./measure.ts";
import type { Line } from "./model.ts";
import { pack } from "./pack.ts";
import { boundSource } from "./source.ts";
import { createWriter, type Voice } from "./write.ts";

export type { Limit } from "./measure.ts";
export type Dialect =
  | "telegram-html"
  | "slack"
  | "whatsapp"
  /** Discord and Teams: tables as code. */
  | "markdown"
  /** Mattermost. */
  | "markdown-tables"
  | "plain";

export type RenderOptions = {
  dialect: Dialect;
  limit: Limit;
  /** Makes mentions harmless; it is given all visible text, code included, before it is escaped. */
  escapeMentions?: (text: string) => string;
};

const DIALECTS: Record<Dialect, Layout & { voice: Voice }> = {
  "telegram-html": { voice: telegram, links: "kept", tables: "aligned" },
  slack: { voice: slack, links: "kept", tables: "aligned" },
  whatsapp: { voice: whatsapp, links: "spelled", tables: "aligned" },
  markdown: { voice: markdown, links: "kept", tables: "aligned" },
  "markdown-tables": { voice: markdownWithTables, links: "kept", tables: "native" },
  plain: { voice: plain, links: "spelled", tables: "rows" },
};

/** At most 10 messages; the last one says how much was left out. Pure: the same text always gives the same messages. */
export function renderMessages(markdown: string, options: RenderOptions): string[] {
  const { dialect, limit, escapeMentions } = options;
  const { voice, ...layout } = DIALECTS[dialect];
  const speaker = escapeMentions ? withoutMentions(voice, escapeMentions) : voice;
  const write = createWriter(speaker);
  const fullness = (lines: readonly Line[]) => {
    const message = write(lines);
    if (dialect !== "telegram-html") return measure(message, limit.unit) / limit.most;
    return Math.max(measure(withoutTags(message), limit.unit), measure(message, limit.unit) / 2) / limit.most;
  };
  return renderLines(markdown, layout, limit, write, fullness);
}

/** Shared with Signal, whose messages are no strings. */
export function renderLines<Message extends string | { text: string }>(
  markdown: string,
  layout: Layout,
  limit: Limit,
  write: (lines: readonly Line[]) => Message,
  fullness: (lines: readonly Line[]) => number,
): Message[] {
  if (limit.most < 100)
    throw new RangeError(`A message must be allowed 100 characters or more, not ${limit.most}`);
  const { source, unread } = boundSource(markdown, limit);
  const press = { fullness, mostUnits: limit.most * (limit.unit === "codepoints" ? 2 : 1) };
  const shown = (lines: readonly Line[]) =>
    pack(lines, unread, press)
      .map(write)
      .filter((message) => (typeof message === "string" ? message : message.text).trim() !== "");
  if (source.trim() === "") return [];
  const messages = shown(linesOf(lexMarkdown(source), layout));
  return messages.length > 0 ? messages : shown(codeLines(source, ""));
}

/** Telegram counts the text without tags and with entities decoded. */
function withoutTags(message: string): string {
  return message.replace(/<[^<>]*>/g, "").replace(/&(?:lt|gt|amp|quot);/g, "&");
}

function withoutMentions(voice: Voice, escape: (text: string) => string): Voice {
  return {
    ...voice,
    fit: (spans, form) => voice.fit(spans, form).map((span) => ({ ...span, text: escape(span.text) })),
    fence: (rows, language) => voice.fence(rows.map(escape), language),
  };
}

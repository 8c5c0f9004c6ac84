// How a reply becomes the messages of each platform: in its dialect, and within its limit. Pure, so that a thread can do
// it too.
import type { platforms } from "../core/target.ts";
import { renderMessages } from "../markdown/render.ts";
import { renderSignal } from "../markdown/signal.ts";

export type Rendering = (markdown: string) => readonly string[];

const usual = { most: 4000, unit: "utf16" } as const;

export const renderings = {
  whatsapp: (markdown) => renderMessages(markdown, { dialect: "whatsapp", limit: usual }),
  telegram: (markdown) =>
    renderMessages(markdown, { dialect: "telegram-html", limit: { most: 4096, unit: "utf16" } }),
  discord: (markdown) =>
    renderMessages(markdown, { dialect: "markdown", limit: { most: 2000, unit: "utf16" } }),
  slack: (markdown) => renderMessages(markdown, { dialect: "slack", limit: usual }),
  mattermost: (markdown) =>
    renderMessages(markdown, {
      dialect: "markdown-tables",
      limit: { most: 16_000, unit: "codepoints" },
      escapeMentions: withoutBroadcasts,
    }),
  // Longer than 2000 bytes, signal-cli sends the rest as an attachment, which apps show as one message.
  signal: (markdown) => renderSignal(markdown, usual).map((message) => JSON.stringify(message)),
  imessage: (markdown) => renderMessages(markdown, { dialect: "plain", limit: usual }),
  msteams: (markdown) =>
    renderMessages(markdown, { dialect: "markdown", limit: { most: 20_000, unit: "utf16" } }),
} as const satisfies Record<(typeof platforms)[number], Rendering>;

export type RenderJob = { platform: keyof typeof renderings; markdown: string };

/** A character without width behind the @: the words stay, and no one is notified. */
const withoutBroadcasts = (text: string): string =>
  text.replace(/@(?=(?:all|channel|here)(?![a-z0-9]))/gi, "@\u200B");

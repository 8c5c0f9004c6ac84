// No text from outside overflows the stack, however long or deep it is: neither a pattern that keeps a place to go back
// to for each character, nor a call with an argument for each item, nor a function that calls itself for each level.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanDescriptions } from "../src/agents/tools/mcp-tools.ts";
import { formatTable } from "../src/cli/terminal/table.ts";
import { fit, safeLine, safeText, widthOf } from "../src/cli/terminal/text.ts";
import { largest } from "../src/core/largest.ts";
import { parseRetryAfter } from "../src/core/retry-after.ts";
import { sessionKeyFault } from "../src/core/session-key.ts";
import { cutWithMark, oneLine } from "../src/core/text.ts";
import { readTraceHeaders } from "../src/core/trace.ts";
import { htmlToText } from "../src/html/to-text.ts";
import { parseJson } from "../src/http/body.ts";
import { snippetOf } from "../src/mail/message.ts";
import { renderMessages, type Dialect } from "../src/markdown/render.ts";
import { renderSignal } from "../src/markdown/signal.ts";
import { heartbeatPrompt, hookPrompt } from "../src/session/prompt.ts";
import { summaryText } from "../src/session/summary.ts";
import { readResult } from "../src/transforms/result.ts";
import { clean } from "../src/untrusted/clean.ts";
import { cleanLabel, fence, parseFences } from "../src/untrusted/fence.ts";
import { metadata } from "../src/untrusted/metadata.ts";
import { shorten } from "../src/untrusted/shorten.ts";
import { signalsOf } from "../src/untrusted/signals.ts";
import { aRunRequest } from "./builders/run.ts";

const units = {
  "zero-width spaces": "\u200B",
  tags: "\u{E0041}",
  "lone surrogates": "\uD800",
  joiners: "👩\u200D",
  "line feeds": "\n",
  backticks: "`",
  "quote marks": ">",
  "table cells": "|a",
  "open brackets": "<[",
  "start tags": "<b>",
};

const message = (text: string) => [{ label: "text", source: "request", text }] as const;
const event = (text: string) => ({
  id: "e",
  seq: 1,
  sessionKey: "main",
  source: "wake" as const,
  hook: "wake",
  text: message(text),
  createdAt: 0,
  shownAt: null,
});

const dialects: readonly Dialect[] = [
  "telegram-html",
  "slack",
  "whatsapp",
  "markdown",
  "markdown-tables",
  "plain",
];
const limit = { most: 40_000, unit: "utf16" } as const;

const works: Record<string, (text: string) => unknown> = {
  clean,
  signalsOf,
  shorten: (text) => shorten(text, 1000),
  metadata,
  cleanLabel,
  fence: (text) => parseFences(fence("0".repeat(32), { id: 1, label: "x", text })),
  hookPrompt: (text) => hookPrompt({ request: aRunRequest({ message: message(text) }) }, null),
  heartbeatPrompt: (text) => heartbeatPrompt([event(text)], 0),
  summaryText: (text) => summaryText({ name: text, status: "failed", text, undelivered: text }),
  oneLine,
  cutWithMark: (text) => cutWithMark(text, 10),
  parseRetryAfter: (text) => parseRetryAfter(text, 0),
  readTraceHeaders: (text) => readTraceHeaders(text, text),
  sessionKeyFault,
  htmlToText,
  snippetOf,
  ...Object.fromEntries(
    dialects.map((dialect) => [dialect, (text: string) => renderMessages(text, { dialect, limit })]),
  ),
  signal: (text) => renderSignal(text, limit),
  terminal: (text) => [safeText(text), safeLine(text), fit(text, 80), widthOf(text)],
};

/** `clean`: the wake that made every later heartbeat fail. */
const characters = { any: 300_000, clean: 2_500_000 };
const hidden = ["zero-width spaces", "tags", "lone surrogates", "joiners"];

for (const [name, unit] of Object.entries(units))
  test(`many ${name} overflow nothing`, () => {
    const text = unit.repeat(characters.any / unit.length);
    for (const [verb, work] of Object.entries(works))
      assert.doesNotThrow(() => work(text), `${verb} of ${name}`);
    if (!hidden.includes(name)) return;
    const long = unit.repeat(characters.clean / unit.length);
    assert.ok(clean(long).length >= long.length);
    assert.ok(heartbeatPrompt([event(long)], 0).signals.hiddenCharacters > 0);
  });

/** Built from the inside out: `JSON.parse` reads any depth. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

test("what is nested 100,000 levels deep is cut or refused in words, never a stack overflow", () => {
  const wraps = [(inner: unknown) => [inner], (inner: unknown) => ({ properties: inner })];
  for (const deep of wraps.map((wrap) => nested(100_000, wrap))) {
    assert.doesNotThrow(() => JSON.stringify(cleanDescriptions({ deep })));
    assert.throws(() => readResult({ deep }), /nested deeper than 500/);
  }
  assert.deepEqual(parseJson(Buffer.from("[".repeat(100_000) + "]".repeat(100_000))), {
    refused: "invalid-json",
  });
});

test("lists of a million items overflow nothing", () => {
  const many = Array.from({ length: 1_000_000 }, (_, at) => at);
  assert.equal(largest(many), 999_999);
  assert.equal(largest([], 3), 3);
  assert.ok(formatTable([{ title: "n", value: (item: number) => item }], many, 80).length > 1_000_000);
});

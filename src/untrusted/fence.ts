// A block around outside text. Every line of the text is marked, so none of its characters reaches the start of a
// line, where alone a block can end: it could not close the block even if it knew the id.

import { randomFillSync } from "node:crypto";
import { oneLine } from "../core/text.ts";
import { clean } from "./clean.ts";
import { shorten } from "./shorten.ts";

export type Block = { readonly id: number; readonly label: string; readonly text: string };

export type ParsedBlock = Block & { readonly fenceId: string };

const linePrefix = "| ";
const longestLabel = 100;

export function fence(fenceId: string, block: Block): string {
  const label = cleanLabel(block.label).replaceAll(fenceId, "…");
  const lines = clean(block.text).split("\n");
  return [
    `[begin ${fenceId} ${block.id} ${label}]`,
    ...lines.map((line) => linePrefix + line),
    `[end ${fenceId} ${block.id}]`,
  ].join("\n");
}

export const cleanLabel = (label: string): string =>
  shorten(oneLine(clean(oneLine(label))), longestLabel, "…");

/** 128 random bits, drawn again while `avoid` says that they occur in some text. */
export function newFenceId(avoid: (candidate: string) => boolean, random = randomId): string {
  let id = random();
  while (avoid(id)) id = random();
  return id;
}

const idBytes = 16;
const drawn = Buffer.alloc(256 * idBytes);
let used = drawn.length;

/** Drawn for many at once: a call for each is a thirtieth of what a run costs. */
function randomId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn.toString("hex", used, (used += idBytes));
}

const beginLine = /^\[begin ([0-9a-f]{32}) (\d+) (.*)\]$/;

/** The blocks of a composed prompt. */
export function parseFences(prompt: string): ParsedBlock[] {
  const lines = prompt.split("\n");
  const blocks: ParsedBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, fenceId, id, label] = beginLine.exec(lines[at] ?? "") ?? [];
    if (fenceId === undefined || id === undefined || label === undefined) continue;
    const text = linesOfBlock(lines, at + 1);
    if (lines[at + text.length + 1] !== `[end ${fenceId} ${id}]`) continue;
    blocks.push({ fenceId, id: Number(id), label, text: text.join("\n") });
    at += text.length + 1;
  }
  return blocks;
}

function linesOfBlock(lines: readonly string[], from: number): string[] {
  const text: string[] = [];
  for (let at = from; lines[at]?.startsWith(linePrefix); at += 1) {
    text.push((lines[at] ?? "").slice(linePrefix.length));
  }
  return text;
}

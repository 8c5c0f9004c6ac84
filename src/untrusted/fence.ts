// Fences outside text in a block. A block ends only at the start of a line, and every line of the text has a prefix:
// the text cannot end its block, even if it knew the id.

import { randomBytes } from "node:crypto";
import { cut, oneLine } from "../core/text.ts";
import { clean, mostToClean } from "./clean.ts";
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
  shorten(oneLine(clean(cut(oneLine(label), mostToClean(longestLabel)))), longestLabel, "…");

/** 128 random bits; a candidate that `avoid` finds in a text is replaced by another. */
export function newFenceId(avoid: (candidate: string) => boolean, random = randomId): string {
  let id = random();
  while (avoid(id)) id = random();
  return id;
}

const randomId = (): string => randomBytes(16).toString("hex");

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

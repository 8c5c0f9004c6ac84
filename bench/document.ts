// Writes what was measured into docs/performance.md, between the marks of each measurement, and its plot beside it.
// A measurement that was not made this time keeps what stands there, with the machine and day it was made on.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.ts";
import { plot } from "./plot.ts";
import { cellsOf } from "./report.ts";
import type { Result } from "./row.ts";

const page = new URL("../docs/performance.md", import.meta.url);
const pictures = new URL("../docs/performance/", import.meta.url);

export function writeDocument(machine: Machine, results: readonly Result[]): void {
  mkdirSync(pictures, { recursive: true });
  let text = readFileSync(page, "utf8");
  for (const result of results) {
    const picture = plot(result);
    if (picture !== null) writeFileSync(new URL(`${result.name}.svg`, pictures), picture);
    text = replaceBetween(text, result.name, sectionOf(machine, result, picture !== null));
  }
  writeFileSync(page, text);
}

export function replaceBetween(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no marks ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

export function sectionOf(
  machine: Machine,
  { name, title, rows, notes }: Result,
  hasPicture: boolean,
): string {
  const head = "| | value | | ratio | against | goal | |\n|---|---:|---|---:|---|---|---|";
  const lines = rows.map((each) => `| ${cellsOf(each).join(" | ")} |`);
  return [
    ...(hasPicture ? [`![${title}: ratios](performance/${name}.svg)`] : []),
    [head, ...lines].join("\n"),
    [...notes, madeOn(machine)].map((note) => `- ${note}`).join("\n"),
  ].join("\n\n");
}

const madeOn = ({ date, processor, memory, system, loadBefore, versions }: Machine): string =>
  `made ${date} on ${processor}, ${memory}, ${system}, with a load of ${loadBefore.toFixed(1)} before it began; ${Object.entries(
    versions,
  )
    .map(([what, version]) => `${what} ${version}`)
    .join(", ")}`;

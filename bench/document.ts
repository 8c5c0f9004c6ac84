// Writes one day's results as a page, `bench/results/<day>.md`, with its plots in `bench/results/plots`.
// A measurement made twice on one day replaces its section; the other sections stay.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.ts";
import { plot } from "./plot.ts";
import { cellsOf } from "./report.ts";
import type { Result } from "./row.ts";

const folder = new URL("results/", import.meta.url);

export function writeDocument(machine: Machine, results: readonly Result[]): void {
  mkdirSync(new URL("plots/", folder), { recursive: true });
  const page = new URL(`${machine.date}.md`, folder);
  let text = existsSync(page) ? readFileSync(page, "utf8") : `# Bench results, ${machine.date}\n`;
  for (const result of results) {
    const name = `${machine.date}-${result.name}`;
    const picture = plot(result);
    if (picture !== null) writeFileSync(new URL(`plots/${name}.svg`, folder), picture);
    text = withSection(text, result.name, sectionOf(machine, result, picture === null ? null : name));
  }
  writeFileSync(page, text);
}

/** The page with this section, in place of the one of the same name or at the end. */
export function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  const whole = `${begin}\n\n${section}\n\n${end}`;
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n${whole}\n`;
  return text.slice(0, from) + whole + text.slice(to + end.length);
}

export function sectionOf(machine: Machine, { title, rows, notes }: Result, picture: string | null): string {
  const head = "| | value | | ratio | against | goal | |\n|---|---:|---|---:|---|---|---|";
  const lines = rows.map((each) => `| ${cellsOf(each).join(" | ")} |`);
  return [
    `## ${title}`,
    ...(picture === null ? [] : [`![${title}: ratios](plots/${picture}.svg)`]),
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

// The table on the terminal, and the JSON file with all results.
import { mkdirSync, writeFileSync } from "node:fs";
import type { Machine } from "./machine.ts";
import { figure, goalText, type Result, type Row } from "./row.ts";

const heads = ["", "value", "", "ratio", "against", "goal", ""];

export const cellsOf = ({ name, value, unit, against, ratio, spread, goal, met }: Row): string[] => [
  name,
  figure(value),
  unit,
  ratio === null ? "" : spread ? `${figure(ratio)} (${spread.map(figure).join("–")})` : figure(ratio),
  against ?? "",
  goal === null ? "" : goalText(goal, unit),
  met === null ? "" : met ? "met" : "missed",
];

export function table(results: readonly Result[]): string {
  const rows = results.flatMap(({ rows }) => rows.map(cellsOf));
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((cells) => cells[at]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 1 || at === 3 ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join("  ")
      .trimEnd();
  const parts = results.map(({ title, rows, notes }) =>
    [`\n${title}`, ...rows.map((each) => line(cellsOf(each))), ...notes.map((note) => `  ${note}`)].join(
      "\n",
    ),
  );
  return [line(heads), ...parts].join("\n");
}

const folder = new URL("./results/", import.meta.url);

export function writeResults(name: string, machine: Machine, results: readonly Result[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ machine, results }, null, 2)}\n`);
}

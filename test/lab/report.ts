// The output of a lab run: a bar while it runs, then a table.
import { type Cell, cellName } from "./cells.ts";
import type { Tally } from "./check.ts";
import type { RoundResult } from "./track.ts";

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

const barWidth = 30;
const eraseLine = "\r\u001b[2K";
/** Without a terminal, a line is written for each so many percent. */
const lineEveryPercent = 10;

export type Bar = { step(done: number, text: string): void; clear(): void };

export function createBar(total: number, output: Output): Bar {
  let shownPercent = 0;
  return {
    step(done, text) {
      const percent = Math.floor((100 * done) / total);
      const filled = Math.round((barWidth * done) / total);
      const line = `lab [${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${done} of ${total}  ${text}`;
      if (output.isTTY) return void output.write(eraseLine + line.slice(0, (output.columns ?? 100) - 1));
      if (percent < shownPercent + lineEveryPercent && done < total) return;
      shownPercent = percent;
      output.write(`${line}\n`);
    },
    clear: () => void (output.isTTY && output.write(eraseLine)),
  };
}

type Line = Tally & { name: string; rounds: number; violations: number };

const none: Omit<Line, "name"> = {
  rounds: 0,
  requests: 0,
  runs: 0,
  doubledTurns: 0,
  doubledMessages: 0,
  violations: 0,
};

const add = (name: string, lines: readonly Omit<Line, "name">[]): Line => {
  const sum: Line = { name, ...none };
  for (const line of lines) {
    for (const key of Object.keys(none) as (keyof typeof none)[]) sum[key] += line[key];
  }
  return sum;
};

const heads = ["Cell", "Rounds", "Requests", "Runs", "Doubled turns", "Doubled messages", "Violations"];

/** In Markdown, so that it can be pasted into our pages. */
export function tableOf(cells: readonly Cell[], results: readonly RoundResult[]): string {
  const lines = cells.map((cell) => {
    const name = cellName(cell);
    const own = results.filter((result) => cellName(result.cell) === name);
    return add(
      name,
      own.map(({ tally, violations }) => ({ ...none, ...tally, rounds: 1, violations: violations.length })),
    );
  });
  const rows = [...lines, add("all", lines)].map((line) => [
    line.name,
    line.rounds,
    line.requests,
    line.runs,
    line.doubledTurns,
    line.doubledMessages,
    line.violations,
  ]);
  const written = [heads, heads.map((_, at) => (at === 0 ? "---" : "---:")), ...rows];
  return written.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function failureOf({ cell, seed, violations, keptIn }: RoundResult): string {
  const again = `npm run lab -- --cells '^${cellName(cell)}$' --seed ${seed}`;
  return [
    `VIOLATION in ${cellName(cell)}, seed ${seed}`,
    ...violations.map((violation) => `  ${violation}`),
    `  histories: ${keptIn}`,
    `  again: ${again}`,
  ].join("\n");
}

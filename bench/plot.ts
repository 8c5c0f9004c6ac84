// Ratios as bars in a self-contained SVG, on a white card that can be read on any background. Bars with the same
// reference share a panel and a scale; where ratios are far apart the scale is logarithmic and bars start at 1.
import { figure, type Result, type Row } from "./row.ts";

const width = 940;
const barHeight = 16;
const rowHeight = 26;
const labelWidth = 430;
const valueWidth = 70;
const top = 62;
const bottom = 34;
const colours = {
  met: "#2f7d4f",
  missed: "#c0453b",
  plain: "#5b7fa6",
  goal: "#1f2328",
  text: "#1f2328",
  faint: "#6b7280",
};
const logarithmicFrom = 4;

type Bar = Row & { ratio: number };
type Scale = { at(ratio: number): number; base: number; marks: number[] };

/** Null where no row has a ratio. */
export function plot({ title, rows }: Result): string | null {
  const bars = rows.filter(
    (row): row is Bar => row.ratio !== null && Number.isFinite(row.ratio) && row.ratio > 0,
  );
  if (bars.length === 0) return null;
  const parts: string[] = [];
  let y = top;
  for (const panel of panelsIn(bars)) {
    parts.push(drawPanel(panel, y));
    y += heightOf(panel);
  }
  const height = y + bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">`,
    `<title>${escape(title)}: ratios</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>`,
    text(16, 30, title, { size: 17, weight: 600 }),
    text(16, 50, "ratios inside one run; the black line is the goal", { fill: colours.faint }),
    ...parts,
    drawLegend(height - 14),
    "</svg>",
    "",
  ].join("\n");
}

type Panel = { against: string; unit: string; bars: Bar[] };

function panelsIn(bars: readonly Bar[]): Panel[] {
  const panels: Panel[] = [];
  for (const bar of bars) {
    const { unit } = bar;
    const against = bar.against ?? "";
    const last = panels.at(-1);
    if (last?.against === against && last.unit === unit) last.bars.push(bar);
    else panels.push({ against, unit, bars: [bar] });
  }
  return panels;
}

const headHeight = 24;
const axisHeight = 30;
const heightOf = ({ bars }: Panel): number => headHeight + bars.length * rowHeight + axisHeight;

function drawPanel({ against, unit, bars }: Panel, y: number): string {
  const scale = scaleFor(bars);
  const from = y + headHeight;
  const to = from + bars.length * rowHeight;
  return [
    text(16, y + 16, `${unit}, against ${against}`, { fill: colours.faint, style: "italic" }),
    ...scale.marks.map((mark) => drawMark(mark, scale, from - 4, to)),
    ...bars.map((bar, at) => drawBar(bar, from + at * rowHeight, scale)),
  ].join("\n");
}

function scaleFor(bars: readonly Bar[]): Scale {
  const values = bars.flatMap(({ ratio, goal }) => [ratio, ...(goal?.of === "ratio" ? [goalOf(goal)] : [])]);
  const most = Math.max(1, ...values);
  const barSpace = width - labelWidth - valueWidth;
  if (most <= logarithmicFrom) {
    const step = most <= 1.5 ? 0.25 : 0.5;
    const end = Math.ceil((most * 1.02) / step) * step;
    const marks = Array.from({ length: Math.floor(end / step) + 1 }, (_, at) => at * step);
    return { at: (ratio) => labelWidth + (ratio / end) * barSpace, base: 0, marks };
  }
  const least = Math.min(1, ...values);
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const from = least >= 1 ? 0 : Math.log10(least) - 0.15;
  const to = Math.log10(most) + 0.1;
  const marks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)).filter(
    (mark) => Math.log10(mark) >= from && Math.log10(mark) <= to,
  );
  return {
    at: (ratio) => labelWidth + ((Math.log10(ratio) - from) / (to - from)) * barSpace,
    base: 1,
    marks,
  };
}

const goalOf = ({ atLeast, atMost }: NonNullable<Row["goal"]>): number => atLeast ?? atMost ?? 1;

function drawBar({ name, value, unit, ratio, goal, met }: Bar, y: number, scale: Scale): string {
  const [from, to] = [scale.at(scale.base), scale.at(ratio)].toSorted((a, b) => a - b) as [number, number];
  const fill = met === null ? colours.plain : met ? colours.met : colours.missed;
  const parts = [
    text(labelWidth - 10, y + 13, name, { anchor: "end", size: 12.5 }),
    `<rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(1.5, to - from).toFixed(1)}" height="${barHeight}" rx="2" fill="${fill}"/>`,
    text(figureAt(to, goal, scale), y + 13, figure(ratio), { weight: 600 }),
    `<title>${escape(`${name}: ${figure(value)} ${unit}`)}</title>`,
  ];
  if (goal?.of === "ratio") {
    const x = scale.at(goalOf(goal)).toFixed(1);
    parts.push(`<path d="M${x} ${y - 4}V${y + barHeight + 4}" stroke="${colours.goal}" stroke-width="2.5"/>`);
  }
  return `<g>${parts.join("")}</g>`;
}

const figureWidth = 44;

/** Right of the bar, and right of its goal's line where that would cross the figure. */
function figureAt(barEnd: number, goal: Row["goal"], scale: Scale): number {
  const line = goal?.of === "ratio" ? scale.at(goalOf(goal)) : -Infinity;
  return (line > barEnd && line < barEnd + figureWidth ? line : barEnd) + 6;
}

const drawMark = (mark: number, scale: Scale, from: number, to: number): string => {
  const x = scale.at(mark);
  const label = text(x, to + 12, String(Number(mark.toFixed(3))), {
    anchor: "middle",
    fill: colours.faint,
    size: 11,
  });
  return `<path d="M${x.toFixed(1)} ${from}V${to}" stroke="${mark === 1 ? "#8c959f" : "#e5e7eb"}"/>${label}`;
};

const drawLegend = (y: number): string =>
  (
    [
      ["goal met", colours.met],
      ["goal missed", colours.missed],
      ["no goal", colours.plain],
    ] as const
  )
    .map(
      ([label, fill], at) =>
        `<rect x="${16 + at * 104}" y="${y - 10}" width="11" height="11" rx="2" fill="${fill}"/>${text(32 + at * 104, y, label, { size: 11, fill: colours.faint })}`,
    )
    .join("");

type TextStyle = { fill?: string; size?: number; weight?: number; anchor?: string; style?: string };

const text = (x: number, y: number, written: string, style: TextStyle = {}): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="${style.fill ?? colours.text}" font-size="${style.size ?? 13}"${style.weight ? ` font-weight="${style.weight}"` : ""}${style.anchor ? ` text-anchor="${style.anchor}"` : ""}${style.style ? ` font-style="${style.style}"` : ""}>${escape(written)}</text>`;

const escape = (written: string): string =>
  written.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

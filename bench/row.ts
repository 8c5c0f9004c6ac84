// The result of a measurement: rows, each with a figure and, where there is a reference, a ratio from the same run.

/** A limit for the ratio or the value; exactly one of the two is given. */
export type Goal = { of: "ratio" | "value"; atLeast?: number; atMost?: number };

export type Row = {
  name: string;
  value: number;
  unit: string;
  against: string | null;
  ratio: number | null;
  /** The quartiles of the ratio, where it is a median of several. */
  spread?: readonly [number, number];
  goal: Goal | null;
  met: boolean | null;
};

export type Result = {
  name: string;
  title: string;
  rows: Row[];
  /** What is missing, what was verified, and the conditions of the measurement. */
  notes: string[];
};

export function row(
  name: string,
  value: number,
  unit: string,
  more: { against?: string; ratio?: number; goal?: Goal; spread?: readonly [number, number] } = {},
): Row {
  const { against = null, ratio = null, goal = null, spread } = more;
  const met = goal && isMet(goal, value, ratio);
  return { name, value, unit, against, ratio, goal, met, ...(spread && { spread }) };
}

function isMet({ of, atLeast, atMost }: Goal, value: number, ratio: number | null): boolean | null {
  const figure = of === "value" ? value : ratio;
  if (figure === null || Number.isNaN(figure)) return null;
  return (atLeast === undefined || figure >= atLeast) && (atMost === undefined || figure <= atMost);
}

export function goalText({ of, atLeast, atMost }: Goal, unit: string): string {
  const shown = (limit: number): string => (of === "ratio" ? String(limit) : `${limit} ${unit}`);
  return atLeast === undefined ? `≤ ${shown(atMost ?? Number.NaN)}` : `≥ ${shown(atLeast)}`;
}

export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 10 ? 1 : 2);
}

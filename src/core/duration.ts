// Durations as people write them: 250ms, 90s, 30m, 12h, 7d; a bare 0 is none.

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const shape = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;

/** Seconds as a configuration has them, perhaps with a fraction: the stores take only whole milliseconds. */
export const secondsToMs = (seconds: number): number => Math.round(seconds * 1000);

/** Milliseconds, or null when the text is no duration. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  const match = shape.exec(trimmed);
  const unit = match && unitMs[match[2]!];
  return match && unit ? Math.round(Number(match[1]) * unit) : null;
}

// Whether memory grows with the work: the line through several readings, each taken while idle. A single reading says
// little, since a heap grows and shrinks.

export type Point = { requests: number; bytes: number };

/** How much the line of least squares rises from the first point to the last, in bytes. */
export function riseOf(points: readonly Point[]): number {
  const meanRequests = mean(points.map(({ requests }) => requests));
  const meanBytes = mean(points.map(({ bytes }) => bytes));
  let above = 0;
  let below = 0;
  for (const { requests, bytes } of points) {
    above += (requests - meanRequests) * (bytes - meanBytes);
    below += (requests - meanRequests) ** 2;
  }
  const length = (points.at(-1)?.requests ?? 0) - (points[0]?.requests ?? 0);
  return below === 0 ? 0 : (above / below) * length;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);

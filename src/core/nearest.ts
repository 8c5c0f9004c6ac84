// The known word nearest to a misspelled one.

/** How many letters must be added, removed, changed or swapped with their neighbour. */
export function editDistance(left: string, right: string): number {
  let older: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      let least = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + change);
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) least = Math.min(least, older[column - 2]! + 1);
      current.push(least);
    }
    older = above;
    above = current;
  }
  return above[right.length]!;
}

/** A shorter beginning is shared by words that have nothing else in common. */
const shortestStart = 4;

/**
 * The word that differs least, or else the only one that begins with the misspelt one, or that it begins with. Null when
 * nothing is near: more than a third of the letters would have to change.
 */
export function nearest(word: string, known: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of known) {
    const allowed = Math.max(1, Math.floor(candidate.length / 3));
    if (Math.abs(candidate.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= allowed && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate ?? onlyStart(wanted, known);
}

function onlyStart(wanted: string, known: readonly string[]): string | null {
  const starting = known.filter((candidate) => {
    const other = candidate.toLowerCase();
    const isLong = Math.min(other.length, wanted.length) >= shortestStart;
    return isLong && (other.startsWith(wanted) || wanted.startsWith(other));
  });
  return starting.length === 1 ? (starting[0] ?? null) : null;
}

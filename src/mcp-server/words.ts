// Counts as people read them.
const plurals: Readonly<Record<string, string>> = { entry: "entries", delivery: "deliveries" };

/** `1 run`, `3 runs`. `isMore`: there are others. */
export function counted(count: number, one: string, isMore = false): string {
  const word = count === 1 && !isMore ? one : (plurals[one] ?? `${one}s`);
  return `${isMore ? "more than " : ""}${count} ${word}`;
}

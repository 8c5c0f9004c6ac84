// Writes values as JSON and counts each part before it is written: a small payload that is deeply nested can become a
// thousand times larger when it is indented.

export type Memory = { use(count: number): void };

/** Undefined for values that JSON cannot express. */
export function writeJson(value: unknown, spaces: number, memory: Memory): string | undefined {
  if (spaces === 0) return writeCompactJson(value, memory);
  const depths = new Map<unknown, number>();
  return JSON.stringify(
    value,
    function (this: unknown, key: string, each: unknown) {
      const depth = depths.get(this) ?? 0;
      memory.use(key.length + 4 + 2 * spaces * depth + lengthOf(each));
      if (typeof each === "object" && each !== null) depths.set(each, depth + 1);
      return each;
    },
    spaces,
  );
}

const writeCompactJson = (value: unknown, memory: Memory): string | undefined =>
  JSON.stringify(value, (key, each: unknown) => {
    memory.use(key.length + 4 + lengthOf(each));
    return each;
  });

/** Exact numbers come here as raw JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  const isRaw = typeof value === "object" && value !== null && "rawJSON" in value;
  return isRaw ? String(value.rawJSON).length : 0;
}

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
      memory.use(key.length + 4 + 2 * spaces * depth + (typeof each === "string" ? each.length : 0));
      if (typeof each === "object" && each !== null) depths.set(each, depth + 1);
      return each;
    },
    spaces,
  );
}

const writeCompactJson = (value: unknown, memory: Memory): string | undefined =>
  JSON.stringify(value, (key, each: unknown) => {
    memory.use(key.length + 4 + (typeof each === "string" ? each.length : 0));
    return each;
  });

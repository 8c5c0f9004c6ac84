// A label whose values are bounded: names that are known, and `other`.

export type Label = { of(name: string): string; known(): ReadonlySet<string> };

export function createLabel(): Label & { know(names: readonly string[], others?: readonly string[]): void } {
  let names: ReadonlySet<string> = new Set();
  let all = names;
  return {
    know(next, others = []) {
      names = new Set(next);
      all = new Set([...next, ...others]);
    },
    of: (name) => (all.has(name) ? name : "other"),
    known: () => names,
  };
}

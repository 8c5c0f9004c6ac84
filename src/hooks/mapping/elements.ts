// The payload as each element of a `forEach` sees it: its list holds that element alone. The payload is changed in
// place and not copied: copies for a thousand elements would cost more than all the rest of a request.
import { type FieldPath, readField } from "../../core/field-path.ts";

export type Elements = {
  readonly list: readonly unknown[];
  /** The payload as one element sees it, until the next call. It must be read before anything else happens. */
  at(index: number): unknown;
  restore(): void;
};

/** There must be a list at the path, or a value that counts as a list of one. */
export function elementsOf(payload: unknown, path: FieldPath): Elements {
  const found = readField(payload, path);
  const list: readonly unknown[] = Array.isArray(found) ? found : [found];
  const last = path.at(-1);
  if (last === undefined) return { list, at: (index) => [list[index]], restore: () => {} };
  const holder = readField(payload, path.slice(0, -1)) as Record<string | number, unknown>;
  const put = (value: unknown): void =>
    void Object.defineProperty(holder, last, { value, enumerable: true, writable: true, configurable: true });
  return {
    list,
    at(index) {
      put([list[index]]);
      return payload;
    },
    restore: () => put(found),
  };
}

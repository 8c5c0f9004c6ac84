// The fields of a form or of an XML element as a payload: a name that stands there several times becomes a list.

/** In order; any text can be a name, also that of a setter. */
export function fieldsOf<T>(entries: Iterable<readonly [string, T]>): Record<string, T | T[]> {
  const fields = new Map<string, T | T[]>();
  const lists = new Map<string, T[]>();
  for (const [name, value] of entries) {
    const list = lists.get(name);
    if (list) list.push(value);
    else if (fields.has(name)) {
      const started = [fields.get(name) as T, value];
      lists.set(name, started);
      fields.set(name, started);
    } else fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

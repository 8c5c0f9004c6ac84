// The part of a request that a template can see.

export type TemplateRequest = {
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly path: string;
  /** ISO 8601. */
  readonly now: string;
  /** Of a sender's request: event, delivery, sender. In others it is no word, and may be a field. */
  readonly hook?: object;
};

export type Scope = {
  /** The five words, and `hook`; they win over fields of the same name. */
  readonly words: Readonly<TemplateRequest>;
  /** The payload's own fields, when it is an object. */
  readonly fields: object;
};

const noFields: object = Object.freeze(Object.create(null));

/** Nothing is copied: the payload must be plain data, and must not change while it is rendered. */
export function scopeOf({ payload, headers, query, path, now, hook }: TemplateRequest): Scope {
  const words: TemplateRequest = Object.assign(
    Object.create(null),
    { payload, headers, query, path, now },
    hook && { hook },
  );
  const hasFields = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  return { words, fields: hasFields ? payload : noFields };
}

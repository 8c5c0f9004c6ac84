// The allowed-model list: absent allows everything, present only its ids and aliases.

export type ModelList = Readonly<Record<string, { alias?: string | undefined }>>;

/** The model's full id, or null when the list does not have it. */
export function resolveModel(wanted: string, models: ModelList | undefined): string | null {
  if (models === undefined) return wanted;
  if (Object.hasOwn(models, wanted)) return wanted;
  for (const [id, { alias }] of Object.entries(models)) if (alias === wanted) return id;
  return null;
}

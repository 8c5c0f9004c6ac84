// How much of a list is asked for.

/** `limit` null: all. Lists are newest first. */
export type Page = { limit: number | null };

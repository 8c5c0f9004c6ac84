// How much of a list to read.

/** `limit` null: all. Lists are newest first. */
export type Page = { limit: number | null };

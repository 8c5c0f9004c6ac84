// How long finished things are kept.

export type Retention = { finishedMs: number; requestsMs: number; idempotencyMs: number };

/** How long a repeated `Idempotency-Key` gets the first response. */
export const idempotencyMs = 86_400_000;

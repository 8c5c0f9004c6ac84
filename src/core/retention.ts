// For how long what has ended is kept.

export type Retention = { finishedMs: number; requestsMs: number; idempotencyMs: number };

/** For how long a repeated `Idempotency-Key` gets the first response. */
export const idempotencyMs = 86_400_000;

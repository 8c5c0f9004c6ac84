// How long finished things are kept.

export type Retention = {
  finishedMs: number;
  requestsMs: number;
  idempotencyMs: number;
  /** How many of a conversation's turns are kept however old they are, as long as it is used. */
  conversationTurns: number;
};

/** How long a repeated `Idempotency-Key` gets the first response. */
export const idempotencyMs = 86_400_000;

/** How long the audit of what operators did is kept. */
export const auditMs = 90 * 86_400_000;

/** How many turns of a conversation one attempt can be given. Older turns are never carried again. */
export const mostCarriedTurns = 2000;

// How one call of a tool fails.

/** This call cannot be done. The model reads the message, which says why and what to do instead. */
export class Refusal extends Error {}

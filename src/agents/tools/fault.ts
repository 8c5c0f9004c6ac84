// How one call of a tool fails.

/**
 * This call cannot be done. The model reads the message, which says why and what to do instead, in our own words. What
 * someone else wrote goes into `outside`, and is shown in a block.
 */
export class Refusal extends Error {
  readonly outside: string | null;
  constructor(message: string, outside: string | null = null) {
    super(message);
    this.outside = outside;
  }
}

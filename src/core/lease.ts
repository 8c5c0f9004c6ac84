// What a worker gets when it claims stored work.

export type Claim<T> = {
  claimed: T[];
  /** How long until the next one becomes due (a retry, an expiring lease), as far as is known now; null for none. */
  nextInMs: number | null;
};

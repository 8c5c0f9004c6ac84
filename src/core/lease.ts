// The result of a claim.

export type Claim<T> = {
  claimed: T[];
  /** In how many ms the next item is due (a retry, an expiring lease); null: none is known. */
  nextInMs: number | null;
};

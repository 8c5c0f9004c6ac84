// Which references of templates led to a value while they were rendered.

/** What renderings of one draft have found. One reference can be in both: of several elements, one may lack it. */
export type Seen = {
  readonly met: Set<string>;
  /** With whether it is required where it was missing: outside of every condition. */
  readonly missing: Map<string, boolean>;
};

export const createSeen = (): Seen => ({ met: new Set(), missing: new Map() });

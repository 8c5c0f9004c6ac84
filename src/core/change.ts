// A hint that something stored has changed. It carries no data: who hears it reads what it needs.

export const changeKinds = ["request", "run", "event", "delivery", "hook", "config"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export type Change =
  | { readonly kind: ChangeKind; readonly id: string; readonly status: string | null }
  /** More than can be told one by one: everything may have changed. */
  | { readonly kind: "many" };

/** The hints of all nodes. One can be lost: who must not miss a change also reads the store now and then. */
export type Changes = {
  /** To listeners on this node at once, and to other nodes soon. Call it after the commit, never before. */
  tell(change: Change): void;
  /** The returned function ends it. */
  listen(heard: (change: Change) => void): () => void;
};

/** Where nothing changes. */
export const noChanges: Changes = { tell() {}, listen: () => () => {} };

// A hint that something stored has changed. It carries no data: who hears it reads what it needs.

export const changeKinds = ["request", "run", "event", "delivery", "hook", "config"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export type Change =
  | { readonly kind: ChangeKind; readonly id: string; readonly status: string | null }
  /** More than can be told one by one: everything may have changed. */
  | { readonly kind: "many" };

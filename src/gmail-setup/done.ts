// What one step of a set-up came to.

export type Done = {
  what: string;
  name: string;
  /** `there`: it was as it should be, and nothing was done. */
  state: "there" | "made" | "changed" | "removed" | "left";
  /** Why it was left, or what there is to know. */
  note?: string;
};

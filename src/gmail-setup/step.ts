// The result of one step of a setup.

export type Step = {
  what: string;
  name: string;
  /** `there`: it was as it should be. `left`: not ours to change, or not possible now. */
  state: "there" | "made" | "changed" | "removed" | "left";
  /** Why it was left, or another note for the person. */
  note?: string;
};

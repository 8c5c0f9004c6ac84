// What every drill is: it makes a disaster, restores, and reports what it saw.
import type { Verdict } from "./judge.ts";

export type Drill = (given: {
  seed: number;
  report: (name: string, verdict: Verdict) => void;
}) => Promise<void>;

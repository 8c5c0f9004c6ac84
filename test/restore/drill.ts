// A drill causes a disaster, restores, and reports what it found.
import type { Verdict } from "./judge.ts";

export type Drill = (given: {
  seed: number;
  report: (name: string, verdict: Verdict) => void;
}) => Promise<void>;

// When a run that waits for its next try is tried again, as text for people.
import type { Run } from "../../core/run.ts";
import { shortTime } from "../../api/resources.ts";

/** Null for a run that does not wait for one. */
export const nextTryWords = ({ nextTryAt, error }: Pick<Run, "nextTryAt" | "error">): string | null =>
  nextTryAt === null
    ? null
    : `next try at ${shortTime(new Date(nextTryAt).toISOString())}, after: ${error ?? "-"}`;

// The public JSON of a timeline. Names are public; times are ISO 8601 or null.
import type { Span } from "./spans.ts";
import type { Detail, Step } from "./step.ts";
import type { Timeline } from "./timeline.ts";

const time = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString();

export const timelineResource = (timeline: Timeline) => ({
  requestId: timeline.requestId,
  hook: timeline.hook,
  status: timeline.status,
  beganAt: time(timeline.beganAt),
  endedAt: time(timeline.endedAt),
  tookMs: timeline.tookMs,
  runs: timeline.runs.map(({ createdAt, endedAt, ...run }) => ({
    ...run,
    createdAt: time(createdAt),
    endedAt: time(endedAt),
  })),
  steps: timeline.steps.map(stepResource),
  spans: timeline.spans.map(spanResource),
});

export const stepResource = ({ at, facts, details, ...step }: Step) => ({
  ...step,
  at: time(at),
  facts: Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, timeNamed(name, value)])),
  details: details.map(detailResource),
});

/** Fields that end in `At` are times. */
const timeNamed = (name: string, value: unknown): unknown =>
  name.endsWith("At") && typeof value === "number" ? time(value) : value;

const detailResource = (detail: Detail) =>
  detail.kind === "tool-call" ? { ...detail, at: time(detail.at) } : detail;

export const spanResource = ({ begin, end, ...span }: Span) => ({
  ...span,
  begin: time(begin),
  end: time(end),
  durationMs: end - begin,
});

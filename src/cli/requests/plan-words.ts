// The plan of a replay, for people.
import { mostDecided, type ReplayPlan } from "../../hooks/replay/plan.ts";
import { secondsFor } from "../../api/actions/replay.ts";
import type { Selection } from "../../hooks/replay/selection.ts";

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const isoTime = (at: number): string => new Date(at).toISOString();

export function planLines(plan: ReplayPlan, { since, until }: Selection, perMinute: number): string[] {
  const count = plan.ids.length;
  const left = [
    ...Object.entries(plan.cannot).map(([reason, many]) => `  ${many} cannot be replayed: ${reason}`),
    ...(plan.replayedBefore > 0
      ? [`  ${plan.replayedBefore} left out: a replay was accepted before (--again takes them, too)`]
      : []),
  ];
  const range = `from ${isoTime(since)} to ${isoTime(until)}`;
  if (count === 0) return [`No request ${range} is left to replay.`, ...left];
  return [
    `${count === 1 ? "1 request" : `${count} requests`} ${range}, oldest first:`,
    `  hooks:    ${listed(plan.hooks)}`,
    ...decidedLines(plan),
    ...undecidedLines(plan),
    `  cost:     ${costWords(plan)}`,
    `  time:     about ${durationWords(secondsFor(count, perMinute))}, at ${perMinute} a minute`,
    ...left,
  ];
}

function decidedLines({ outcomes, agents, runs }: ReplayPlan): string[] {
  if (Object.keys(outcomes).length === 0) return [];
  return [
    `  outcomes: ${listed(outcomes)}, by the present configuration`,
    ...(runs > 0 ? [`  runs:     ${runs}, on ${listed(agents)}`] : []),
  ];
}

function undecidedLines({ ids, undecided, pastAgents }: ReplayPlan): string[] {
  if (undecided === 0) return [];
  const past = pastAgents.length === 0 ? "" : `; past runs of these hooks were on ${pastAgents.join(", ")}`;
  const why =
    ids.length > mostDecided
      ? `their mapping has a transform, or they are behind the first ${mostDecided}`
      : "their mapping has a transform, which may act and is not run for a plan";
  return [`  unknown:  ${undecided}: ${why}${past}`];
}

function costWords({ estimate: { inputTokens, outputTokens, cost, basedOnRuns } }: ReplayPlan): string {
  if (basedOnRuns === 0) return "unknown: these hooks have no ended runs";
  const tokens = `${inputTokens} tokens in, ${outputTokens} out`;
  return `about ${cost.toFixed(2)}, ${tokens}, by the last ${basedOnRuns} ended runs of these hooks`;
}

function durationWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

// The judge of a round: pure, from what everyone saw to everything that is wrong.
import { claimedAfterEnd, overlaps, unclaimed, wrongMemory, wrongOrder } from "./check-lanes.ts";
import { needlessMessages, wrongDeliveries, wrongMessages } from "./check-messages.ts";
import { lostRequests, unlikeTwins, unseenEvents, wrongEnds, wrongSummaries } from "./check-requests.ts";
import type { Histories } from "./history.ts";
import { brokenFences } from "./leases.ts";

export function violationsIn(histories: Histories): string[] {
  const rules = [
    lostRequests,
    unlikeTwins,
    wrongEnds,
    wrongSummaries,
    unseenEvents,
    overlaps,
    unclaimed,
    claimedAfterEnd,
    wrongOrder,
    wrongMemory,
    wrongDeliveries,
    wrongMessages,
    needlessMessages,
    brokenFences,
    noProgress,
  ];
  return [...histories.troubles, ...rules.flatMap((rule) => rule(histories))];
}

/** A round in which nothing happened proves nothing. */
function noProgress({ victim, cell, lives, runs, asked, received, notes, turns }: Histories): string[] {
  const answered = (hook: string) =>
    asked.filter((each) => each.hook === hook && each.answers.length > 0).length;
  const died = lives.some(({ name, diedAt }) => name === victim && diedAt !== null);
  const needed: readonly [string, boolean][] = [
    ["no node came to the point", victim !== null],
    ["no process ended", (cell.fault !== "kill" && cell.fault !== "stop") || died],
    [
      "the store was never away",
      cell.fault === "kill" || cell.fault === "stop" || notes.some(({ kind }) => kind === "away"),
    ],
    ["no run succeeded", runs.some(({ status }) => status === "succeeded")],
    ["no conversation went on", turns.some(({ reminded }) => reminded.length > 0)],
    ["no wake was taken", answered("wake") > 0],
    ["hardly a request was taken", answered("agent") + answered("wake") > asked.length / 2],
    ["no message arrived", received.length > 0],
    ["no twin was known again", asked.some(({ answers }) => answers.some(({ replayed }) => replayed))],
  ];
  return needed.filter(([, isSo]) => !isSo).map(([what]) => `no progress: ${what}`);
}

export type Tally = { requests: number; runs: number; doubledTurns: number; doubledMessages: number };

export function tallyOf({ asked, runs, turns, received }: Histories): Tally {
  const hookTurns = turns.filter(({ sessionKey }) => sessionKey !== "main");
  return {
    requests: asked.length,
    runs: runs.length,
    doubledTurns: hookTurns.length - new Set(hookTurns.map(({ runId }) => runId)).size,
    doubledMessages:
      received.length -
      new Set(received.map(({ runId, attempt, part }) => `${runId}/${attempt}/${part}`)).size,
  };
}

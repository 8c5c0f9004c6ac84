// The judge of a round: a pure function from the histories to the violations in them.
import { outages } from "./cells.ts";
import { lostResults, wrongResults } from "./check-callbacks.ts";
import { claimedAfterEnd, overlaps, unclaimed, wrongMemory, wrongOrder } from "./check-lanes.ts";
import { needlessMessages, wrongDeliveries, wrongMessages } from "./check-messages.ts";
import {
  lostRequests,
  unkeptRequests,
  unlikeTwins,
  unseenEvents,
  wrongEnds,
  wrongSummaries,
} from "./check-requests.ts";
import type { Histories } from "./history.ts";
import { brokenFences } from "./leases.ts";

export function violationsIn(histories: Histories): string[] {
  const rules = [
    lostRequests,
    unkeptRequests,
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
    lostResults,
    wrongResults,
    brokenFences,
    noProgress,
  ];
  return [...histories.troubles, ...rules.flatMap((rule) => rule(histories))];
}

/** A round without these proves nothing. */
function noProgress({
  victim,
  cell,
  lives,
  runs,
  requests,
  received,
  results,
  notes,
  turns,
}: Histories): string[] {
  const accepted = (hook: string) =>
    requests.filter((each) => each.hook === hook && each.responses.length > 0).length;
  const died = lives.some(({ name, diedAt }) => name === victim && diedAt !== null);
  const needed: readonly [string, boolean][] = [
    ["no node came to the point", victim !== null],
    ["no process ended", (cell.fault !== "kill" && cell.fault !== "stop") || died],
    ["the store was never away", !outages.has(cell.fault) || notes.some(({ kind }) => kind === "away")],
    ["no run succeeded", runs.some(({ status }) => status === "succeeded")],
    ["no conversation went on", turns.some(({ reminded }) => reminded.length > 0)],
    ["no wake was taken", accepted("wake") > 0],
    ["hardly a request was taken", accepted("agent") + accepted("wake") > requests.length / 2],
    ["no message arrived", received.length > 0],
    ["no result arrived", results.length > 0],
    ["no twin was known again", requests.some(({ responses }) => responses.some(({ replayed }) => replayed))],
  ];
  return needed.filter(([, isSo]) => !isSo).map(([what]) => `no progress: ${what}`);
}

export type Tally = { requests: number; runs: number; doubledTurns: number; doubledMessages: number };

export function tallyOf({ requests, runs, turns, received }: Histories): Tally {
  const hookTurns = turns.filter(({ sessionKey }) => sessionKey !== "main");
  return {
    requests: requests.length,
    runs: runs.length,
    doubledTurns: hookTurns.length - new Set(hookTurns.map(({ runId }) => runId)).size,
    doubledMessages:
      received.length -
      new Set(received.map(({ runId, attempt, part }) => `${runId}/${attempt}/${part}`)).size,
  };
}

// The turns that agents saw: one of a lane at a time, in order, and repeated only after a lost lease.
//
// A turn is open at the agent from its request to its reply, or until its
// caller is gone. Two turns of a lane are never open at the same time while the leases of both are valid. A run is
// started again only when the lease of the attempt before is over, and is never claimed once it has ended. A process
// that is starved for longer than a lease can still start a run it had claimed: its later writes are refused.
import type { Histories, Turn } from "./history.ts";
import { claimsIn, claimsOf } from "./leases.ts";
import { replyForm } from "./world.ts";

const isConversation = ({ sessionKey }: { sessionKey: string }): boolean =>
  sessionKey === "main" || sessionKey.startsWith("lab:");

/** A run that is no conversation has a lane of its own. */
const laneOf = (turn: Turn): string => (isConversation(turn) ? turn.sessionKey : turn.runId);

export function overlaps(histories: Histories): string[] {
  const claims = claimsOf(histories.turns, claimsIn(histories), ({ runId }) => runId);
  const overAt = (turn: Turn): number => claims.get(turn)?.overAt ?? Infinity;
  const lanes = Map.groupBy(histories.turns, laneOf);
  return [...lanes.values()].flatMap((turns) =>
    turns.flatMap((turn, at) =>
      turns.slice(0, at).flatMap((before) => {
        const isSame = before.runId === turn.runId;
        const isOpen = before.endedAt === null || before.endedAt > turn.startedAt;
        if (!isSame && !isOpen) return [];
        if (Math.min(overAt(before), overAt(turn)) <= turn.startedAt) return [];
        const what = isSame ? "was started again" : `started in ${laneOf(turn)}`;
        const early = Math.round(overAt(before) - turn.startedAt);
        return [`${nameOf(turn)} ${what} beside ${nameOf(before)}, ${early} ms before its lease was over`];
      }),
    ),
  );
}

export const unclaimed = (histories: Histories): string[] =>
  [...claimsOf(histories.turns, claimsIn(histories), ({ runId }) => runId)]
    .filter(([, claim]) => claim === null)
    .map(([turn]) => `${nameOf(turn)} was started without a claim`);

const nameOf = ({ runId, attempt, life }: Turn): string => `${runId}/${attempt} on ${life}`;

export function claimedAfterEnd(histories: Histories): string[] {
  const { turns, notes } = histories;
  const endedAt = new Map<string, number>();
  for (const note of notes) {
    if (note.kind === "released" && note.sure && note.ended) endedAt.set(note.id, note.at);
  }
  const claims = claimsOf(turns, claimsIn(histories), ({ runId }) => runId);
  return turns
    .filter((turn) => (claims.get(turn)?.requestedAt ?? 0) > (endedAt.get(turn.runId) ?? Infinity))
    .map((turn) => `${nameOf(turn)} was claimed after its run had ended`);
}

/** Runs of a conversation are stored and started in the order of their requests. */
export function wrongOrder({ requests, runs, turns }: Histories): string[] {
  const orderOf = new Map(requests.map(({ marker, order }) => [marker, order]));
  const runOrder = new Map(runs.map(({ id, request }) => [id, orderOf.get(request.name ?? "") ?? -1]));
  const inLane = (each: { sessionKey: string }) => each.sessionKey.startsWith("lab:");
  const firstTurns = turns.filter(inLane).filter(({ runId }, at, all) => isFirst(all, runId, at));
  const found = [
    ...Map.groupBy(runs.filter(inLane), ({ sessionKey }) => `stored in ${sessionKey}`),
    ...Map.groupBy(
      firstTurns.map((turn) => ({ ...turn, id: turn.runId })),
      ({ sessionKey }) => `started in ${sessionKey}`,
    ),
  ];
  return found.flatMap(([where, list]) => {
    const orders = list.map(({ id }) => runOrder.get(id) ?? -1);
    const at = orders.findIndex((order, index) => index > 0 && order <= orders[index - 1]!);
    return at === -1 ? [] : [`${where}, request ${orders[at]} came after request ${orders[at - 1]}`];
  });
}

const isFirst = (turns: readonly Turn[], runId: string, at: number): boolean =>
  turns.findIndex((turn) => turn.runId === runId) === at;

/** The history of a turn holds the reply of each earlier turn of its conversation, once and in order. */
export function wrongMemory({ runs, turns }: Histories): string[] {
  const lanes = Map.groupBy(
    runs.filter(({ sessionKey }) => sessionKey.startsWith("lab:")),
    ({ sessionKey }) => sessionKey,
  );
  return turns.flatMap((turn) => {
    const lane = lanes.get(turn.sessionKey);
    if (!lane) return [];
    const before = lane.slice(
      0,
      lane.findIndex(({ id }) => id === turn.runId),
    );
    const expected = before.map(({ reply }) => replyForm.exec(reply ?? "")?.[0]).join(" ");
    const found = turn.reminded.join(" ");
    return found === expected ? [] : [`${nameOf(turn)} was reminded of "${found}", not of "${expected}"`];
  });
}

// How long a process held each lease, from the notes at its store port.
import type { Histories, Note } from "./history.ts";

/** A lease from its claim to its end, as far as is sure: it lasted until then at the latest. */
export type Claim = {
  life: string;
  id: string;
  lease: string;
  requestedAt: number;
  claimedAt: number;
  overAt: number;
};

/** Two clocks that are read one after the other. */
const slackMs = 5;

/**
 * A lease is over when it has run out after its last renewal, or when it was given up. An embedded store belongs to
 * one process, so there a lease is also over with that process; on a shared one it has to run out.
 */
export function claimsIn({ cell, notes, lives }: Histories): Claim[] {
  const leases = Map.groupBy(notes.filter(isHeld), nameOf);
  const released = Map.groupBy(
    notes.filter((note) => note.kind === "released"),
    nameOf,
  );
  return [...leases].map(([name, [first, ...renewals]]) => {
    const { life, id, lease, from, at } = first!;
    const ends = (released.get(name) ?? []).map(({ from }) => from);
    if (cell.store === "sqlite") ends.push(lives.find((each) => each.name === life)?.diedAt ?? Infinity);
    const ranOutAt = Math.max(...[first!, ...renewals].map(({ until }) => until));
    return {
      life,
      id,
      lease,
      requestedAt: from,
      claimedAt: at,
      overAt: Math.min(ranOutAt, ...ends) - slackMs,
    };
  });
}

type Held = Extract<Note, { kind: "held" }>;
const isHeld = (note: Note): note is Held => note.kind === "held";
const nameOf = ({ id, lease }: { id: string; lease: string }): string => `${id} ${lease}`;

/**
 * The claim under which each effect happened; null where there was none. A process can claim the same work again
 * after it lost it: then its effects belong to its claims in order.
 */
export function claimsOf<T extends { life: string }>(
  effects: readonly T[],
  claims: readonly Claim[],
  workOf: (effect: T) => string,
  /** Effects with the same name need a claim each. */
  sameness: (effect: T) => string = workOf,
): Map<T, Claim | null> {
  const byOwner = Map.groupBy(claims, ({ life, id }) => `${life} ${id}`);
  const used = new Map<string, number>();
  const found = new Map<T, Claim | null>();
  for (const effect of effects) {
    const own = byOwner.get(`${effect.life} ${workOf(effect)}`) ?? [];
    const name = `${effect.life} ${sameness(effect)}`;
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    found.set(effect, own[Math.min(count, own.length - 1)] ?? null);
  }
  return found;
}

/** Without the lease, a write is refused: the store took none under a claim after a later claim. */
export function brokenFences(histories: Histories): string[] {
  const claims = Map.groupBy(claimsIn(histories), ({ id }) => id);
  return histories.notes.flatMap((note) => {
    if (!isTaken(note)) return [];
    const rivals = claims.get(note.id) ?? [];
    const own = rivals.find(({ lease }) => lease === note.lease);
    const later = rivals.find(
      ({ requestedAt, claimedAt }) =>
        own !== undefined && requestedAt > own.claimedAt && claimedAt < note.from,
    );
    return later ? [`${note.life} has ${note.kind} ${note.id} after ${later.life} had claimed it`] : [];
  });
}

type Taken = Exclude<Note, { kind: "away" }>;
const isTaken = (note: Note): note is Taken =>
  note.kind !== "away" && note.kind !== "refused" && (note.kind !== "released" || note.sure);

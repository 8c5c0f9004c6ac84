// Syncs that follow a hint. A provider can announce a message before it shows it, so an announced position leads to
// up to three more syncs; after those, the regular ones have to find it.

export type FollowUp = {
  /** The provider says the mailbox has come as far as `position`. */
  hint(position: string): void;
  /** A sync that started at this cursor has succeeded. */
  synced(cursorBefore: string | null): void;
  /** In how many milliseconds to sync again; null: no follow-up is due. */
  nextMs(): number | null;
};

type IsNewer = (position: string, cursor: string) => boolean;

const delaysMs = [2000, 5000, 15_000];

export function createFollowUp(isNewer: IsNewer = () => false): FollowUp {
  let pending: { readonly position: string; cursor: string | null; synced: number } | null = null;

  return {
    hint(position) {
      if (pending === null || isNewer(position, pending.position))
        pending = { position, cursor: null, synced: 0 };
    },
    /** Only the first cursor counts: later ones may have passed the position without having shown its message. */
    synced(cursorBefore) {
      if (pending) pending.cursor ??= cursorBefore;
    },
    nextMs() {
      if (pending === null) return null;
      const { position, cursor, synced } = pending;
      const isNews = synced > 0 || (cursor !== null && isNewer(position, cursor));
      const delayMs = isNews ? delaysMs[pending.synced++] : undefined;
      if (delayMs === undefined) pending = null;
      return delayMs ?? null;
    },
  };
}

// Notices that the database's clock was set, by comparing it with our monotonic one.
import type { RoundTrip } from "./time.ts";

/** The database reports whole milliseconds, and clocks that are slewed gain at most a thousandth. */
const roundedMs = 0.5;
const drift = 0.001;
/** Less is no step. */
const littleMs = 500;

type Bounds = { least: number; most: number; at: number };

const middle = ({ least, most }: Bounds): number => (least + most) / 2;

export type ClockWatch = {
  /** How far the database's clock was set since the last report; 0 where it was not. */
  learn(databaseTime: number, roundTrip: RoundTrip): number;
  /**
   * The time by which leases of others count as ended; null before the first report. After a step forward it goes on as
   * if there had been none, until every living node has renewed its leases: otherwise work that is being done would be
   * taken from its node. A node that was suspended sees such a step, too, and waits for no reason.
   */
  leasesBy(): number | null;
};

/** `holdMs`: how long after a step forward leases are judged by the time before it. */
export function createClockWatch({
  monotonic,
  holdMs,
}: {
  monotonic: () => number;
  holdMs: number;
}): ClockWatch {
  /** Of the database's time minus ours. */
  let known: Bounds | null = null;
  let before: { most: number; until: number } | null = null;

  return {
    learn(databaseTime, { askedAt, answeredAt }) {
      const least = databaseTime - roundedMs - answeredAt;
      const most = databaseTime + roundedMs - askedAt;
      const last = known;
      known = { least, most, at: answeredAt };
      if (last === null) return 0;
      const slack = littleMs + drift * Math.max(0, answeredAt - last.at);
      if (least > last.most + slack) {
        if (before === null || before.until <= answeredAt)
          before = { most: last.most, until: answeredAt + holdMs };
        return Math.round(middle(known) - middle(last));
      }
      if (most < last.least - slack) {
        before = null;
        return Math.round(middle(known) - middle(last));
      }
      // Slow reports say less than the quick ones before them.
      const widened = drift * Math.max(0, answeredAt - last.at);
      const narrow = {
        least: Math.max(least, last.least - widened),
        most: Math.min(most, last.most + widened),
      };
      if (narrow.least <= narrow.most) known = { ...narrow, at: answeredAt };
      return 0;
    },
    leasesBy() {
      const now = monotonic();
      if (before !== null && before.until <= now) before = null;
      const most = before?.most ?? known?.most;
      return most === undefined ? null : Math.ceil(now + most);
    },
  };
}

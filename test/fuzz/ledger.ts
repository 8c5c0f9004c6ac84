// The results of a fuzz run: outcomes, the ids that responses named, and each fault with the number of its input.
import type { Verdict } from "./responses.ts";
import type { Stored } from "./stored.ts";

export type Outcome = { hook: string; outcome: string };

export type Ledger = {
  readonly faults: string[];
  /** By outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Requests without a response, on connections that were reset, cut off or ended by an earlier response. */
  withoutResponse: number;
  responses: number;
  /** Sent to the watched mailbox. */
  mails: number;
  fault(input: number, what: string): void;
  /** Counts one response. True when this outcome of this hook was never seen before. */
  note(input: number, hook: string, verdict: Verdict): boolean;
  /** Compares the ids in responses with the store. */
  compare(stored: Stored): void;
};

const mostFaults = 50;

export function createLedger(known: Iterable<string>): Ledger {
  const faults: string[] = [];
  const outcomes = new Map<string, number>();
  const pairs = new Set<string>(known);
  const runs = new Set<string>();
  const events = new Set<string>();
  const repeated: [id: string, input: number][] = [];

  const fault = (input: number, what: string): void => {
    if (faults.length < mostFaults) faults.push(`input ${input}: ${what}`);
  };
  const take = (input: number, ids: readonly string[], seen: Set<string>, { replayed }: Verdict): void => {
    for (const id of ids) {
      if (replayed) repeated.push([id, input]);
      else if (seen.size === seen.add(id).size) fault(input, `the id ${id} was given before`);
    }
  };
  const missing = (ids: Iterable<string>, stored: readonly string[], what: string): void => {
    const there = new Set(stored);
    if (there.size !== stored.length) faults.push(`${stored.length - there.size} ${what} are stored twice`);
    for (const id of ids)
      if (!there.has(id)) fault(-1, `the ${what} ${id} was in a 2xx response and is not stored`);
  };

  const ledger: Ledger = {
    faults,
    outcomes,
    withoutResponse: 0,
    responses: 0,
    mails: 0,
    fault,
    note(input, hook, verdict) {
      ledger.responses++;
      outcomes.set(verdict.outcome, (outcomes.get(verdict.outcome) ?? 0) + 1);
      if (verdict.fault !== null) fault(input, `${hook}: ${verdict.fault}`);
      take(input, verdict.runIds, runs, verdict);
      take(input, verdict.eventIds, events, verdict);
      const pair = pairOf({ hook, outcome: verdict.outcome });
      return pairs.size < pairs.add(pair).size;
    },
    compare(stored) {
      missing(runs, stored.runs, "run");
      missing(events, stored.wakes, "event");
      const known = new Set([...stored.runs, ...stored.wakes]);
      for (const [id, input] of repeated)
        if (!known.has(id)) fault(input, `the replayed ${id} is not stored`);
      // Only a request whose response was lost may be stored without one; a batch of one request is several.
      const strange = stored.runs.length + stored.wakes.length - runs.size - events.size - ledger.mails;
      if (stored.mails !== ledger.mails)
        faults.push(`${stored.mails} of ${ledger.mails} mails were taken in`);
      const most = ledger.withoutResponse * mostOfOneRequest;
      if (strange > most) faults.push(`${strange} are stored that no response named, at most ${most} may be`);
    },
  };
  return ledger;
}

/** By the lists in the inputs; a mutation may add a few elements. */
const mostOfOneRequest = 10;

export const pairOf = ({ hook, outcome }: Outcome): string => `${hook} ${outcome}`;

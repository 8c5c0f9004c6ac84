// What a run of the fuzzer has seen: outcomes, what the gateway says it stored, and every fault with the number of the
// input that showed it.
import type { Verdict } from "./answers.ts";
import type { Stored } from "./stored.ts";

export type Outcome = { hook: string; outcome: string };

export type Ledger = {
  readonly faults: string[];
  /** By outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Requests without an answer to each: connections that were reset, cut off or ended by an earlier answer. */
  unanswered: number;
  answered: number;
  fault(input: number, what: string): void;
  /** One answer to an input. True when this outcome of this hook was never seen before. */
  note(input: number, hook: string, verdict: Verdict): boolean;
  /** Holds what was answered against what is stored. */
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
      if (!there.has(id)) fault(-1, `the ${what} ${id} was answered with a 2xx and is not stored`);
  };

  const ledger: Ledger = {
    faults,
    outcomes,
    unanswered: 0,
    answered: 0,
    fault,
    note(input, hook, verdict) {
      ledger.answered++;
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
      // Only a request whose answer was lost may be stored without one; a batch of one request is several.
      const strange = stored.runs.length + stored.wakes.length - runs.size - events.size;
      const most = ledger.unanswered * mostOfOneRequest;
      if (strange > most)
        faults.push(`${strange} are stored that nobody was told of, at most ${most} may be`);
    },
  };
  return ledger;
}

/** As far as the inputs go: a mutation may make a few more elements of a list. */
const mostOfOneRequest = 10;

export const pairOf = ({ hook, outcome }: Outcome): string => `${hook} ${outcome}`;

// The store port of a lab node: it notes the leases that the node holds, and stops at the armed fail point.
import { StoreUnavailable } from "../../src/core/errors.ts";
import type { Store } from "../../src/store/ports/store.ts";
import type { Point } from "./cells.ts";
import { type Change, monotonicMs, type Note } from "./history.ts";

/** A node passes the point `skip` times and then stops there. */
export type Stand = { point: Point; skip: number };

export type FailPoints = {
  store: Store;
  /** Resolves when every claim that started before has ended. */
  arm(stand: Stand): Promise<void>;
  /** Continues calls that are stopped, and stops no more. */
  release(): void;
};

/** `id` is the run or delivery that it works on there. */
export type NodeEvent = Note | { kind: "reached"; life: string; point: Point; id: string | null };

export function createFailPoints(store: Store, life: string, tell: (event: NodeEvent) => void): FailPoints {
  const gate = createGate((point, id) => tell({ kind: "reached", life, point, id }));
  const notes = createNotes(life, tell);
  const port = reportAway(store, (verb) => tell({ kind: "away", life, verb, at: monotonicMs() }));
  const claiming = new Set<Promise<unknown>>();
  return {
    store: { ...port, ...createRuns(port, gate, notes, claiming), ...createDeliveries(port, gate, notes) },
    async arm(stand) {
      gate.arm(stand);
      await Promise.allSettled(claiming);
    },
    release: () => gate.release(),
  };
}

type Gate = {
  isArmedAt(point: Point): boolean;
  arm(stand: Stand): void;
  release(): void;
  /** Waits for `release` when the point is the armed one. */
  pass(point: Point, id?: string | null): Promise<void>;
};

function createGate(onReached: (point: Point, id: string | null) => void): Gate {
  let armed: Stand | null = null;
  let opened = Promise.withResolvers<void>();
  return {
    isArmedAt: (point) => armed?.point === point,
    arm: (stand) => void (armed = { ...stand }),
    release() {
      armed = null;
      opened.resolve();
      opened = Promise.withResolvers<void>();
    },
    async pass(point, id = null) {
      if (armed?.point !== point) return;
      if (armed.skip-- > 0) return;
      // Before a claim all nodes stop; one that did not would claim the work.
      if (point === "accepted") armed.skip = 0;
      else armed = null;
      onReached(point, id);
      await opened.promise;
    },
  };
}

type Leased = { id: string; lease: string };
type Notes = ReturnType<typeof createNotes>;

function createNotes(life: string, tell: (event: NodeEvent) => void) {
  const note = ({ id, lease }: Leased, from: number, change: Change): void =>
    tell({ life, id, lease, from, at: monotonicMs(), ...change });
  return {
    note,
    held: (leased: Leased, from: number, leaseMs: number): void =>
      note(leased, from, { kind: "held", until: from + leaseMs }),
    /** Notes the end of a lease, and whether the store confirmed it. */
    async releasing(leased: Leased, ended: boolean, write: () => Promise<boolean>): Promise<boolean> {
      const from = monotonicMs();
      try {
        const done = await write();
        note(leased, from, done ? { kind: "released", sure: true, ended } : { kind: "refused" });
        return done;
      } catch (fault) {
        note(leased, from, { kind: "released", sure: false, ended });
        throw fault;
      }
    },
  };
}

type RunVerbs = "accept" | "claimRuns" | "renewRuns" | "startRun" | "settleRun";

function createRuns(
  port: Pick<Store, RunVerbs>,
  gate: Gate,
  { note, held, releasing }: Notes,
  claiming: Set<Promise<unknown>>,
): Pick<Store, RunVerbs> {
  const hookRuns = new Set<string>();
  return {
    async accept(acceptance, first) {
      // For a stop before the claim, the run is stored as queued, as it is when no slot is free.
      const taking = gate.isArmedAt("accepted") ? undefined : first;
      const from = monotonicMs();
      const accepted = await port.accept(acceptance, taking);
      if (accepted.kind === "stored" && accepted.started && taking) {
        const { started } = accepted;
        held(started, from, taking.leaseMs);
        note(started, from, { kind: "started" });
        hookRuns.add(started.id);
        // The caller has no response yet, and the agent was not called.
        await gate.pass("claimed", started.id);
      }
      return accepted;
    },
    async claimRuns(claim) {
      if (claim.kind === "hook") await gate.pass("accepted");
      const from = monotonicMs();
      const pending = port.claimRuns(claim);
      claiming.add(pending);
      const result = await pending.finally(() => claiming.delete(pending));
      for (const run of result.claimed) {
        held(run, from, claim.leaseMs);
        if (claim.kind === "hook") hookRuns.add(run.id);
      }
      if (claim.kind === "hook" && result.claimed.length > 0)
        await gate.pass("claimed", result.claimed[0]!.id);
      return result;
    },
    async renewRuns(renewal) {
      const from = monotonicMs();
      const renewed = await port.renewRuns(renewal);
      for (const id of renewed.held) held({ id, lease: renewal.lease }, from, renewal.leaseMs);
      return renewed;
    },
    async startRun(start) {
      const from = monotonicMs();
      const started = await port.startRun(start);
      if (started.kind !== "parked")
        note(start, from, { kind: started.kind === "go" ? "started" : "refused" });
      return started;
    },
    async settleRun(run, settlement) {
      const ended = settlement.next.kind === "ended";
      if (ended && hookRuns.has(run.id)) await gate.pass("finished", run.id);
      return releasing(run, ended, () => port.settleRun(run, settlement));
    },
  };
}

type DeliveryVerbs = "claimDeliveries" | "advanceDelivery" | "renewDeliveries" | "settleDelivery";

function createDeliveries(
  port: Pick<Store, DeliveryVerbs>,
  gate: Gate,
  { note, held, releasing }: Notes,
): Pick<Store, DeliveryVerbs> {
  return {
    async claimDeliveries(claim) {
      const from = monotonicMs();
      const result = await port.claimDeliveries(claim);
      for (const delivery of result.claimed) held(delivery, from, claim.leaseMs);
      return result;
    },
    async advanceDelivery(progress) {
      await gate.pass("sent", progress.id);
      const from = monotonicMs();
      const isOurs = await port.advanceDelivery(progress);
      if (isOurs) {
        note(progress, from, { kind: "booked", sentMessages: progress.sentMessages });
        held(progress, from, progress.leaseMs);
      } else note(progress, from, { kind: "refused" });
      return isOurs;
    },
    async renewDeliveries(renewal) {
      const from = monotonicMs();
      const ids = await port.renewDeliveries(renewal);
      for (const id of ids) held({ id, lease: renewal.lease }, from, renewal.leaseMs);
      return ids;
    },
    async settleDelivery(delivery, settlement) {
      const ended = settlement.status !== "waiting";
      if (settlement.status === "sent") await gate.pass("sent", delivery.id);
      const from = monotonicMs();
      const isOurs = await releasing(delivery, ended, () => port.settleDelivery(delivery, settlement));
      if (isOurs) note(delivery, from, { kind: "booked", sentMessages: settlement.sentMessages });
      return isOurs;
    },
  };
}

/** The same port; `onAway` is called for each call that finds the store unavailable. */
function reportAway(store: Store, onAway: (verb: string) => void): Store {
  const verbs = Object.entries(store).map(([verb, call]) => {
    const wrapped = (...input: unknown[]): unknown => {
      const result = (call as (...input: unknown[]) => unknown)(...input);
      if (!(result instanceof Promise)) return result;
      return result.catch((fault: unknown) => {
        if (fault instanceof StoreUnavailable) onAway(verb);
        throw fault;
      });
    };
    return [verb, wrapped];
  });
  return Object.fromEntries(verbs) as Store;
}

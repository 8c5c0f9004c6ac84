import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test, type TestContext } from "node:test";
import type { Exchange } from "../http/exchange.ts";
import type { RunState } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { aClaimedRun } from "../../test/builders/run.ts";
import { createFakeClock, eventually, settled } from "../../test/fakes/clock.ts";
import { serveExchanges } from "../../test/fixtures/exchange-server.ts";
import { createWaits, type Waited } from "./wait.ts";
import type { RunListener } from "./watch.ts";

const runs = (count: number): Run[] =>
  Array.from({ length: count }, () => aClaimedRun({ status: "queued", attempts: 0 }));

/** Every request waits for the runs that are asked for then. */
async function createScene(t: TestContext, most = 500) {
  const clock = createFakeClock();
  const listeners = new Map<string, Set<RunListener>>();
  const waits = createWaits({
    clock,
    mostWaiting: () => most,
    watch: {
      add({ id }, listener) {
        const own = listeners.get(id) ?? new Set();
        listeners.set(id, own.add(listener));
        return () => void own.delete(listener);
      },
    },
  });
  let asked: readonly RunState[] = [];
  const waited: Waited[] = [];
  const exchanges: Exchange[] = [];
  const { connect } = await serveExchanges(t, (exchange) => {
    exchanges.push(exchange);
    void waits.wait(asked, 60_000, exchange).then((result) => {
      waited.push(result);
      exchange.response.end();
    });
  });
  return {
    clock,
    waits,
    waited,
    exchanges,
    watching: () => [...listeners.values()].reduce((sum, own) => sum + own.size, 0),
    ask(wanted: readonly RunState[]) {
      asked = wanted;
      const client = connect();
      client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      return client;
    },
    end(run: Run) {
      for (const each of listeners.get(run.id) ?? [])
        each.ended({ ...run, status: "succeeded", attempts: 1 });
    },
    change(run: Run, status: RunState["status"]) {
      for (const each of listeners.get(run.id) ?? []) each.changed({ id: run.id, status, attempts: 1 });
    },
    gone(run: Run) {
      for (const each of listeners.get(run.id) ?? []) each.gone();
    },
  };
}

test("all runs have to end, in whatever order; nothing is left behind", async (t) => {
  const { ask, end, waits, waited, watching, clock, exchanges } = await createScene(t);
  const [a, b] = runs(2) as [Run, Run];
  ask([a, b]);
  await eventually(() => waits.taken() === 2);
  end(b);
  end(b);
  assert.equal(waited.length, 0);
  end(a);
  await eventually(() => waited.length === 1);
  assert.equal(waited[0]?.isApplied, true);
  assert.deepEqual(
    waited[0]?.states.map(({ id, status }) => [id, status]),
    [
      [a.id, "succeeded"],
      [b.id, "succeeded"],
    ],
  );
  assert.deepEqual([waits.taken(), watching(), clock.waiting()], [0, 0, 0]);
  const { response } = exchanges[0]!;
  await eventually(() => response.closed);
});

test("after its time it has the last known states, and what has ended", async (t) => {
  const { ask, end, change, waits, waited, clock } = await createScene(t);
  const [a, b] = runs(2) as [Run, Run];
  ask([a, b]);
  await eventually(() => waits.taken() === 2);
  end(a);
  change(b, "running");
  await clock.advance(59_999);
  assert.equal(waited.length, 0);
  await clock.advance(1);
  const [result] = waited;
  assert.deepEqual([result?.isApplied, [...result!.ended.keys()]], [true, [a.id]]);
  assert.deepEqual(
    result?.states.map(({ status }) => status),
    ["succeeded", "running"],
  );
});

/** A caller that stays, without a connection. */
const aCaller = (): Exchange =>
  ({ request: { socket: new EventEmitter() }, response: new EventEmitter() }) as unknown as Exchange;

test("of 10,000 callers as many wait as may, and the others are told so at once", async (t) => {
  const { end, waits, watching, clock } = await createScene(t, 500);
  const [run] = runs(1) as [Run];
  const waited: Waited[] = [];
  for (let at = 0; at < 10_000; at++)
    void waits.wait([run], 60_000, aCaller()).then((result) => void waited.push(result));
  await settled();
  assert.deepEqual([waits.taken(), watching(), clock.waiting(), waited.length], [500, 500, 500, 9500]);
  assert.ok(waited.every(({ isApplied, ended }) => !isApplied && ended.size === 0));
  end(run);
  await settled();
  assert.deepEqual([waits.taken(), watching(), clock.waiting(), waited.length], [0, 0, 0, 10_000]);
  assert.ok(waited.slice(-500).every(({ isApplied, ended }) => isApplied && ended.size === 1));
});

test("each run takes a place", async (t) => {
  const { ask, waits, waited } = await createScene(t, 3);
  ask(runs(4));
  await eventually(() => waited.length === 1);
  assert.equal(waited[0]?.isApplied, false);
  ask(runs(3));
  await eventually(() => waits.taken() === 3);
});

test("who hangs up is let go, whether it closes its side or resets the connection", async (t) => {
  const { ask, waits, waited, watching, clock } = await createScene(t);
  const leave = [
    (client: ReturnType<typeof ask>) => client.socket.destroy(),
    (client: ReturnType<typeof ask>) => client.socket.end(),
    (client: ReturnType<typeof ask>) => client.socket.resetAndDestroy(),
  ];
  for (const [at, act] of leave.entries()) {
    const client = ask(runs(1));
    await eventually(() => waits.taken() === 1);
    act(client);
    await eventually(() => waited.length === at + 1);
    assert.equal(waited[at]?.isApplied, false);
  }
  assert.deepEqual([waits.taken(), watching(), clock.waiting()], [0, 0, 0]);
});

test("a run that is not there any more is not waited for", async (t) => {
  const { ask, gone, waits, waited } = await createScene(t);
  const [run] = runs(1) as [Run];
  ask([run]);
  await eventually(() => waits.taken() === 1);
  gone(run);
  await eventually(() => waited.length === 1);
  assert.equal(waited[0]?.isApplied, false);
});

test("at a stop all are let go, and nobody waits any more", async (t) => {
  const { ask, waits, waited } = await createScene(t);
  for (let at = 0; at < 3; at++) ask(runs(1));
  await eventually(() => waits.taken() === 3);
  waits.stop();
  await eventually(() => waited.length === 3);
  ask(runs(1));
  await eventually(() => waited.length === 4);
  assert.ok(waited.every(({ isApplied }) => !isApplied));
});

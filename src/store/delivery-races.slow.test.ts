// The races of the outbox, played like those of the queue in `races.slow.test.ts`.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type pg from "pg";
import { begin, openConnections, transact, type Connections } from "../../test/support/transactions.ts";
import { aDelivery, aDeliverySettlement } from "../../test/builders/settlement.ts";
import { leaseMs } from "./ports/harness.contract.ts";
import { postgresDialect } from "./driver/dialect.ts";
import {
  cancelDelivery,
  claimDeliveries,
  insertDelivery,
  moveDelivery,
  retryDelivery,
  settleDelivery,
} from "./programs/deliveries.ts";

const now = 1_000_000;
const dialect = postgresDialect;

describe("races of the outbox", () => {
  let connections: Connections;
  let one: pg.Client;
  let two: pg.Client;
  before(async () => {
    connections = await openConnections();
    ({ one, two } = connections);
  });
  after(() => connections.close());
  beforeEach(() => connections.reset());

  const put = (made = aDelivery()) => insertDelivery(dialect, made, now);
  const claimNext = (lease = "lease", channel = "telegram") =>
    claimDeliveries(dialect, { channel, limit: 10, lease, leaseMs, now });
  const end = (id: string) =>
    settleDelivery(dialect, {
      id,
      lease: "lease",
      now,
      settlement: aDeliverySettlement(),
    });
  const sendable = async (): Promise<string[]> =>
    (await transact(one, claimNext())).claimed.map((each) => each.id);
  const laneWithClaimedHead = async (...behind: ReturnType<typeof aDelivery>[]): Promise<string> => {
    const head = aDelivery();
    await transact(one, put(head));
    await transact(one, claimNext());
    for (const each of behind) await transact(one, put(each));
    return head.id;
  };

  test("two nodes claim from one lane at the same time: one gets its head, the other nothing", async () => {
    const [first, second] = [aDelivery(), aDelivery()];
    await transact(one, put(first));
    await transact(one, put(second));
    const mine = await begin(one, claimNext("one"));
    const theirs = await transact(two, claimNext("two"));
    await one.query("commit");
    assert.deepEqual([mine.claimed.map(({ id }) => id), theirs.claimed], [[first.id], []]);
    assert.deepEqual((await transact(two, claimNext("two"))).claimed, []);
  });

  test("two deliveries that both see an empty lane: one head, the other behind it", async () => {
    const [first, second] = [aDelivery(), aDelivery()];
    await begin(one, put(first));
    const stored = transact(two, put(second));
    await connections.untilBlocked();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [first.id]);
    await transact(one, end(first.id));
    assert.deepEqual(await sendable(), [second.id]);
  });

  test("insert first, the head ends meanwhile: the new delivery becomes the head", async () => {
    const head = await laneWithClaimedHead();
    const late = aDelivery();
    await begin(one, put(late));
    const ended = transact(two, end(head));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await ended, true);
    assert.deepEqual(await sendable(), [late.id]);
  });

  test("the head ends first, insert meanwhile: the new delivery becomes the head", async () => {
    const head = await laneWithClaimedHead();
    const late = aDelivery();
    await begin(one, end(head));
    const stored = transact(two, put(late));
    await connections.untilBlocked();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [late.id]);
  });

  test("the head ends first, the next is cancelled meanwhile: the lane goes on behind it", async () => {
    const [second, third] = [aDelivery(), aDelivery()];
    const head = await laneWithClaimedHead(second, third);
    await begin(one, end(head));
    const cancelled = transact(two, cancelDelivery(dialect, { id: second.id, error: "cancelled", now }));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await cancelled, "cancelled");
    assert.deepEqual(await sendable(), [third.id]);
  });

  test("retry while another is inserted into the empty lane: they go one after the other", async () => {
    const [old, young] = [aDelivery({ status: "failed" }), aDelivery()];
    await transact(one, put(old));
    await begin(one, put(young));
    const retried = transact(two, retryDelivery(dialect, { id: old.id, now }));
    await connections.untilBlocked();
    await one.query("commit");
    assert.equal(await retried, "waiting");
    assert.deepEqual(await sendable(), [young.id]);
    await transact(one, end(young.id));
    assert.deepEqual(await sendable(), [old.id]);
  });

  test("move while another is inserted into the same empty lane: they go one after the other", async () => {
    const [moving, made] = [aDelivery({ to: "elsewhere" }), aDelivery()];
    await transact(one, put(moving));
    await transact(one, claimNext());
    const target = { channel: "telegram", to: "12345" };
    await begin(one, moveDelivery(dialect, { id: moving.id, lease: "lease", target, now }));
    const stored = transact(two, put(made));
    await connections.untilBlocked();
    await one.query("commit");
    await stored;
    assert.deepEqual(await sendable(), [moving.id]);
    await transact(one, end(moving.id));
    assert.deepEqual(await sendable(), [made.id]);
  });
});

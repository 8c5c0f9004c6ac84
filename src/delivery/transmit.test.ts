import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendOutcome } from "../core/delivery.ts";
import { transmit, type TransmitPorts } from "./transmit.ts";

const messages = ["one", "two", "three"];
const delivery = { id: "d", sentMessages: 0, uncertainSends: 0 };
const sent: SendOutcome = { kind: "sent" };

function setUp(more: Partial<TransmitPorts> = {}, outcomes: SendOutcome[] = []) {
  const did: string[] = [];
  const stop = new AbortController();
  const ports: TransmitPorts = {
    async send({ id, to, text }) {
      did.push(`send ${id} ${to} ${text}`);
      return outcomes.shift() ?? sent;
    },
    async advance(sentMessages) {
      did.push(`store ${sentMessages}`);
      return true;
    },
    isLost: () => false,
    stopping: stop.signal,
    ...more,
  };
  return { did, stop, ports };
}

test("each message is stored as sent before the next is sent; the last is for the settlement", async () => {
  const { did, ports } = setUp();
  const result = await transmit(delivery, "5", messages, ports);
  assert.deepEqual(result, { kind: "ended", sentMessages: 3, uncertainSends: 0, outcome: sent });
  assert.deepEqual(did, ["send d-0 5 one", "store 1", "send d-1 5 two", "store 2", "send d-2 5 three"]);
});

test("it goes on after the messages known to be sent", async () => {
  const { did, ports } = setUp();
  await transmit({ ...delivery, sentMessages: 2, uncertainSends: 1 }, "5", messages, ports);
  assert.deepEqual(did, ["send d-2 5 three"]);
});

test("when all messages are sent already, it sends none", async () => {
  const { did, ports } = setUp();
  const result = await transmit({ ...delivery, sentMessages: 4 }, "5", messages, ports);
  assert.deepEqual([result, did], [{ kind: "ended", sentMessages: 3, uncertainSends: 0, outcome: sent }, []]);
});

test("it ends at the first message that is not sent; a sent message resets the uncertain sends", async () => {
  const refused: SendOutcome = { kind: "rejected", reason: "no" };
  const { ports } = setUp({}, [sent, refused]);
  assert.deepEqual(await transmit({ ...delivery, uncertainSends: 1 }, "5", messages, ports), {
    kind: "ended",
    sentMessages: 1,
    uncertainSends: 0,
    outcome: refused,
  });
  const { ports: first } = setUp({}, [refused]);
  const result = await transmit({ ...delivery, uncertainSends: 1 }, "5", messages, first);
  assert.deepEqual(result, { kind: "ended", sentMessages: 0, uncertainSends: 1, outcome: refused });
});

test("without the lease nothing more is sent", async () => {
  const { did, ports } = setUp({ advance: async () => false });
  assert.deepEqual(await transmit(delivery, "5", messages, ports), { kind: "lost" });
  assert.equal(did.length, 1);
});

test("a lease that was lost before the first message was sent sends none", async () => {
  const { did, ports } = setUp({ isLost: () => true });
  assert.deepEqual(await transmit(delivery, "5", messages, ports), { kind: "lost" });
  assert.deepEqual(did, []);
});

test("stopped between two messages it returns how many are sent", async () => {
  const { did, stop, ports } = setUp();
  const advance = async () => {
    stop.abort();
    return true;
  };
  const result = await transmit(delivery, "5", messages, { ...ports, advance });
  assert.deepEqual(result, {
    kind: "ended",
    sentMessages: 1,
    uncertainSends: 0,
    outcome: { kind: "stopped" },
  });
  assert.equal(did.length, 1);
});

test("a message not sent because of the stop has not failed; one that may have been sent is unknown", async () => {
  for (const [outcome, kind] of [
    [{ kind: "retry", reason: "stopped", afterMs: null }, "stopped"],
    [{ kind: "unknown", reason: "stopped" }, "unknown"],
  ] as const) {
    const { stop, ports } = setUp();
    const send = async () => {
      stop.abort();
      return outcome;
    };
    const result = await transmit(delivery, "5", messages, { ...ports, send });
    assert.ok(result.kind === "ended" && result.outcome.kind === kind);
  }
});

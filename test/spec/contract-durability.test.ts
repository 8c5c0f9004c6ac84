// Contract, sections 1 and 5: nothing accepted is lost, whatever stops in between.
import assert from "node:assert/strict";
import { forEachStore, gated, startTestGateway } from "../support/gateway.ts";

const request = { message: "m", deliver: false, wakeMode: "next-heartbeat" };

forEachStore("a run given back on a stop costs no attempt, and waiting runs are kept", async (t, store) => {
  const agents = { maxConcurrent: 1, list: [gated("main")] };
  const gateway = await startTestGateway(t, { agents }, { store });
  const ids: string[] = [];
  for (let count = 0; count < 3; count++)
    ids.push(String((await gateway.post("agent", request)).json["runId"]));
  await gateway.waitFor("one to run", async () =>
    (await gateway.runs()).some(({ status }) => status === "running"),
  );
  await gateway.restart();
  gateway.put("go");
  for (const id of ids) {
    const { status, attempts, reply } = await gateway.ended(id);
    assert.deepEqual([status, attempts, reply], ["succeeded", 1, "done"]);
  }
  assert.equal((await gateway.events("summary")).length, 3);
});

forEachStore("a stop lets running agents finish up to gateway.drainSeconds", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    { gateway: { drainSeconds: 20 }, agents: { list: [gated("main")] } },
    { store },
  );
  const id = String((await gateway.post("agent", request)).json["runId"]);
  await gateway.waitFor(
    "its turn to begin",
    async () => (await gateway.inspect.findRun(id))?.status === "running",
  );
  const restarted = gateway.restart();
  gateway.put("go");
  await restarted;
  assert.equal((await gateway.ended(id)).status, "succeeded");
  assert.deepEqual(gateway.read("turns"), `begins ${id}\nends ${id}\n`, "one turn, not two");
});

forEachStore(
  "events wait over a restart, and a heartbeat that was asked for still comes",
  async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    const waiting = (await gateway.post("wake", { text: "patient", mode: "next-heartbeat" })).json["eventId"];
    await gateway.restart();
    assert.equal((await gateway.inspect.findEvent(String(waiting)))?.shownAt, null);
    await gateway.post("wake", { text: "urgent" });
    await gateway.restart();
    await gateway.waitFor("both to be shown", async () =>
      (await gateway.events()).every(({ shownAt }) => shownAt !== null),
    );
  },
);

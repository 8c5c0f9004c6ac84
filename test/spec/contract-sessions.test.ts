// Contract, section 4: session keys, conversations and isolated turns.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forEachStore, gated, program, startTestGateway, type TestGateway } from "../support/gateway.ts";

const request = { message: "m", deliver: false, wakeMode: "next-heartbeat" };
const accept = async (gateway: TestGateway, fields: Record<string, unknown>) => {
  const { status, json, text } = await gateway.post("agent", { ...request, ...fields });
  assert.equal(status, 202, text);
  return String(json["runId"]);
};

describe("sessions", { concurrency: 4 }, () => {
  test("main is the main session's key and refused", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { allowRequestSessionKey: true } });
    const { status, json } = await gateway.post("agent", { ...request, sessionKey: " main " });
    assert.deepEqual([status, json["code"]], [400, "session-key-not-allowed"]);
    await accept(gateway, { sessionKey: "main:2" });
  });

  test("a key is 1 to 200 visible characters", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { allowRequestSessionKey: true } });
    for (const sessionKey of ["k", "x".repeat(200), "hook:\u00fc-\u65e5\u672c"]) {
      const id = await accept(gateway, { sessionKey });
      assert.equal((await gateway.inspect.findRun(id))?.sessionKey, sessionKey);
    }
    for (const sessionKey of ["x".repeat(201), "two words", "a\u0000b", "a\u200bb", "a\nb", "a\u00a0b"]) {
      const { status, json } = await gateway.post("agent", { ...request, sessionKey });
      assert.deepEqual([status, json["code"]], [400, "invalid-payload"], JSON.stringify(sessionKey));
      assert.deepEqual((json["details"] as { path: string }[])[0]?.path, "sessionKey");
    }
  });

  /** `turns` has a line for each start and each end of a turn. */
  const turns = (gateway: TestGateway) => gateway.read("turns").trim().split("\n");

  forEachStore(
    "runs with the same agent and key go strictly one after another, in order of arrival",
    async (t, store) => {
      const gateway = await startTestGateway(
        t,
        { hooks: { allowRequestSessionKey: true }, agents: { list: [gated("main")] } },
        { store },
      );
      const ids: string[] = [];
      for (let count = 0; count < 4; count++) ids.push(await accept(gateway, { sessionKey: "hook:talk" }));
      await gateway.waitFor("the first to run", async () =>
        (await gateway.runs()).some(({ status }) => status === "running"),
      );
      assert.deepEqual(
        (await gateway.runs()).map(({ status }) => status),
        ["queued", "queued", "queued", "running"],
      );
      gateway.put("go");
      for (const id of ids) await gateway.ended(id);
      assert.deepEqual(
        turns(gateway),
        ids.flatMap((id) => [`starts ${id}`, `ends ${id}`]),
      );
    },
  );

  /** Replies only when two of them run at the same time. */
  const meeting = (id: string) =>
    program(
      id,
      `fs.appendFileSync("met", "x");
     const wait = () => fs.readFileSync("met", "utf8").length < 2 ? setTimeout(wait, 10) : process.stdout.write("met");
     wait();`,
    );

  const runAtOnce = async (gateway: TestGateway, all: Record<string, unknown>[]) => {
    const ids: string[] = [];
    for (const fields of all) ids.push(await accept(gateway, fields));
    for (const id of ids) assert.equal((await gateway.ended(id)).reply, "met");
  };

  forEachStore("runs under generated keys are isolated turns, in parallel", async (t, store) => {
    const gateway = await startTestGateway(t, { agents: { list: [meeting("main")] } }, { store });
    await runAtOnce(gateway, [{}, {}]);
  });

  forEachStore("runs under the default key are isolated turns, in parallel", async (t, store) => {
    const hooks = { defaultSessionKey: "hook:ingress" };
    const gateway = await startTestGateway(t, { hooks, agents: { list: [meeting("main")] } }, { store });
    await runAtOnce(gateway, [{}, {}]);
  });

  forEachStore(
    "conversations with other keys, or other agents, do not wait for each other",
    async (t, store) => {
      const settings = (ids: readonly string[]) => ({
        hooks: { allowRequestSessionKey: true },
        agents: { list: ids.map(meeting) },
      });
      const keys = await startTestGateway(t, settings(["main"]), { store });
      await runAtOnce(keys, [{ sessionKey: "hook:a" }, { sessionKey: "hook:b" }]);
      const agents = await startTestGateway(t, settings(["main", "ops"]), { store });
      await runAtOnce(agents, [{ sessionKey: "hook:a" }, { sessionKey: "hook:a", agentId: "ops" }]);
    },
  );
});

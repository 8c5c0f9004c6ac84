// The last line of a running program, from its standard error to whoever looks at the run, in a real gateway.
import assert from "node:assert/strict";
import { forEachStore, startTestGateway } from "../../test/support/gateway.ts";

forEachStore(
  "a running run shows what its program is doing, and an ended one its reply",
  async (t, store) => {
    const key = "sk-given-0123456789-abcdefghij";
    const script =
      "printf '\\033[1mreading %s\\033[0m\\n\\n' \"$KEY\" >&2; until [ -e go-on ]; do sleep 0.05; done; echo done";
    const agent = { id: "main", kind: "command", command: "/bin/sh", args: ["-c", script] };
    const gateway = await startTestGateway(
      t,
      { agents: { defaults: { workspace: "shared" }, list: [{ ...agent, env: { KEY: key } }] } },
      { store },
    );
    const { json } = await gateway.post("agent", { message: "Hello.", wakeMode: "next-heartbeat" });
    const id = String(json["runId"]);
    const running = await gateway.waitFor("the line", async () => {
      const run = await gateway.inspect.findRun(id);
      return run?.lastLine != null && run;
    });
    assert.equal(running.status, "running");
    assert.equal(running.lastLine, "reading ${KEY}");
    gateway.put("go-on");
    const { reply, lastLine } = await gateway.ended(id);
    assert.deepEqual({ reply, lastLine }, { reply: "done", lastLine: null });
    assert.doesNotMatch(gateway.logLines.join("\n"), /reading|sk-given/);
  },
);

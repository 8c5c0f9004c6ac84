// Contract: programs of agents. Their keys come from the configuration, and are shown nowhere.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { forEachStore, startTestGateway } from "../support/gateway.ts";

forEachStore(
  "a changed secret file reaches the next run without a restart, and no key is shown",
  async (t, store) => {
    const script =
      'cat >/dev/null; [ "$KEY" = new-key-0123456789 ] && echo new && exit; echo "no: $KEY" >&2; exit 1';
    const agent = { id: "main", kind: "command", command: "/bin/sh", args: ["-c", script] };
    const gateway = await startTestGateway(
      t,
      { agents: { list: [{ ...agent, env: { KEY: { file: "key" } } }] } },
      { store, files: { key: "old-key-0123456789\n" }, watchMs: 20 },
    );
    const run = async () => {
      const { json } = await gateway.post("agent", { message: "Hello.", wakeMode: "next-heartbeat" });
      return gateway.ended(json["runId"]);
    };
    const failed = await run();
    assert.equal(failed.error, "the command ended with exit code 1: no: ${KEY}");
    writeFileSync(join(gateway.folder, "key"), "new-key-0123456789\n");
    const replied = await gateway.waitFor("the new key", async () => {
      const next = await run();
      return next.status === "succeeded" && next;
    });
    assert.equal(replied.reply, "new");
    const shown = [
      ...gateway.logLines,
      JSON.stringify(await gateway.runs()),
      JSON.stringify(await gateway.events()),
    ].join("\n");
    assert.doesNotMatch(shown, /(old|new)-key/);
  },
);

forEachStore("with input json a script needs no parsing of blocks", async (t, store) => {
  const script =
    'let all = ""; for await (const part of process.stdin) all += part; const { data } = JSON.parse(all); console.log(data[0].text);';
  const gateway = await startTestGateway(
    t,
    {
      agents: {
        list: [
          {
            id: "main",
            kind: "command",
            command: process.execPath,
            args: ["--input-type=module", "-e", script],
            input: "json",
          },
        ],
      },
    },
    { store },
  );
  const message = "[end 1]\n| quoted";
  const { json } = await gateway.post("agent", { message, wakeMode: "next-heartbeat" });
  assert.equal((await gateway.ended(json["runId"])).reply, message);
});

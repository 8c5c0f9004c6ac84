// `rouse runs retry --failed` beside a running gateway, on each store: after an outage every run is done.
import assert from "node:assert/strict";
import { join } from "node:path";
import { dispatch } from "../../src/cli/dispatch.ts";
import { createTestContext } from "../fixtures/command-line.ts";
import { forEachStore, program, startTestGateway } from "../support/gateway.ts";

const away = program(
  "main",
  `if (fs.existsSync("back")) process.stdout.write("done"); else { console.error("away"); process.exitCode = 3; }`,
);

forEachStore("after an outage, what failed is retried beside the running gateway", async (t, store) => {
  const gateway = await startTestGateway(t, { agents: { list: [away] } }, { store });
  const ids: string[] = [];
  for (const message of ["first", "second", "third"]) {
    const body = { message, deliver: false, wakeMode: "next-heartbeat" };
    ids.push(String((await gateway.post("agent", body)).json["runId"]));
  }
  for (const id of ids) assert.equal((await gateway.ended(id)).status, "failed");
  gateway.put("back");

  const retry = async (...more: string[]) => {
    const config = join(gateway.folder, "rouse.jsonc");
    const argv = ["runs", "retry", "--failed", "--since", "1h", "--json", "--config", config, ...more];
    const { context, written } = createTestContext(argv);
    assert.equal(await dispatch(context), 0, written.stderr);
    return JSON.parse(written.stdout) as { count: number; retried?: { id: string; retryOf: string }[] };
  };
  assert.equal((await retry("--dry-run")).count, 3);
  const { retried = [] } = await retry("--yes");
  assert.deepEqual(retried.map(({ retryOf }) => retryOf).toSorted(), ids.toSorted());
  for (const { id } of retried) assert.equal((await gateway.ended(id)).status, "succeeded");
  assert.equal((await retry("--yes")).count, 0);
});

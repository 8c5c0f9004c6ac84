// A run over its time limit is settled while its agent of any kind still works, and the agent's processes are killed.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startTestGateway } from "../support/gateway.ts";

const limitSeconds = 2;
const acpAgent = fileURLToPath(new URL("../fixtures/acp-agent.ts", import.meta.url));

/** A server that takes a request and never responds. */
async function startSilentServer(t: TestContext): Promise<string> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

for (const kind of ["command", "acp", "http", "model"] as const)
  test(`a ${kind} agent that never replies is timed out, and its processes are ended`, async (t) => {
    const silent = await startSilentServer(t);
    // Ignores SIGTERM, and so does its child; both print their process ids.
    const stubborn =
      'trap "" TERM; echo $$ >> pids; (trap "" TERM; sh -c \'echo $$ >> pids; sleep 600\') & sleep 600';
    const agents = {
      command: { kind: "command", command: "sh", args: ["-c", `${stubborn}; cat`] },
      acp: { kind: "acp", command: process.execPath, args: [acpAgent, "endless"] },
      http: { kind: "http", url: silent },
      model: { kind: "model", model: "silent/any" },
    };
    const gateway = await startTestGateway(t, {
      agents: { defaults: { workspace: "shared" }, list: [{ id: "main", ...agents[kind] }] },
      models: { providers: { silent: { kind: "openai-compatible", baseUrl: `${silent}/v1` } } },
    });
    const { json } = await gateway.post("agent", { message: "Hello.", timeoutSeconds: limitSeconds });
    const run = await gateway.ended(json["runId"]);
    assert.equal(run.status, "timed-out");
    assert.ok(run.endedAt! - run.startedAt! >= limitSeconds * 1000);
    if (kind !== "command") return;
    const pids = gateway.read("pids").trim().split("\n").map(Number);
    assert.equal(pids.length, 2);
    await gateway.waitFor("the processes to be gone", async () => !pids.some(isAlive));
  });

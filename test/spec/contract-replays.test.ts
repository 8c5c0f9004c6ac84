// Contract, section 8: a kept request through the present configuration, with new ids, past the proof and never under
// the old key.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainText } from "../../src/core/message.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import { dispatch } from "../../src/cli/dispatch.ts";
import { createTestContext } from "../fixtures/command-line.ts";
import { forEachStore, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { mapping } from "../support/mapped.ts";
import { githubSecret, sendGithub } from "../support/senders.ts";

type Fields = Record<string, unknown>;

async function rouse({ folder }: TestGateway, ...argv: string[]) {
  const { context, written } = createTestContext(argv, { env: { ROUSE_HOME: folder } });
  return { code: await dispatch(context), ...written };
}

async function replayed(gateway: TestGateway, ...argv: string[]): Promise<Fields> {
  const { code, stdout, stderr } = await rouse(gateway, "requests", "replay", ...argv, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Fields;
}

const requests = ({ inspect }: TestGateway): Promise<RequestRecord[]> =>
  inspect.listRequests({ limit: null });

function mend({ folder }: TestGateway, mappings: object[]): void {
  const file = join(folder, "rouse.jsonc");
  const settings = JSON.parse(readFileSync(file, "utf8")) as { hooks: object };
  writeFileSync(file, JSON.stringify({ ...settings, hooks: { ...settings.hooks, mappings } }));
}

const ci = (state: string) =>
  mapping("ci", {
    match: { path: "ci", payload: { state } },
    messageTemplate: "{{ text }} {{ headers.x-by }}",
  });
const all = ["--hook", "ci", "--since", "1h", "--yes", "--per-minute", "60000"];

forEachStore("skipped yesterday, accepted after the mapping is mended", async (t, store) => {
  const gateway = await startTestGateway(t, { hooks: { mappings: [ci("failure")] } }, { store });
  for (const text of ["one", "two"])
    assert.equal((await gateway.post("ci", { state: "failed", text }, ["X-By: the builder"])).status, 204);
  const first = (await requests(gateway)).toReversed();
  mend(gateway, [ci("failed")]);

  const done = await replayed(gateway, ...all, "--outcome", "skipped");
  assert.deepEqual([done["count"], done["outcomes"], done["agents"]], [2, { accepted: 2 }, { main: 2 }]);
  const results = done["replayed"] as { id: string; replayOf: string; runIds: string[] }[];
  for (const [at, { id, replayOf, runIds }] of results.entries()) {
    const kept = await gateway.inspect.findRequest(id);
    const { target, headers, bytes, address } = kept!.arrival!;
    assert.deepEqual(
      [replayOf, kept?.origin, kept?.replayOf, kept?.outcome, kept?.mapping, kept?.runIds],
      [first[at]?.id, "replay", first[at]?.id, "accepted", "ci", runIds],
    );
    assert.deepEqual(
      { target, headers, bytes, address },
      { ...pick(first[at]!), address: null },
      "it came as the first did, but from nowhere",
    );
    // The gateway, which has the old mapping until it reads the config again, picks the run up.
    const run = await gateway.ended(runIds[0]);
    assert.equal(run.requestId, id);
    assert.equal(plainText(run.request.message), ["one the builder", "two the builder"][at]);
  }

  const again = await replayed(gateway, ...all);
  assert.deepEqual([again["count"], again["replayedBefore"]], [0, 2]);
  const twice = await replayed(gateway, ...all, "--again");
  assert.equal((twice["replayed"] as unknown[]).length, 2, "originals alone, not their replays");
  assert.equal((await gateway.runs()).length, 4);

  const chain = await replayed(gateway, results[0]!.id);
  assert.deepEqual([chain["outcome"], chain["replayOf"]], ["accepted", results[0]!.id]);
});

const pick = ({ arrival }: RequestRecord) => {
  const { target, headers, bytes } = arrival!;
  return { target, headers, bytes };
};

forEachStore("a replay of a replay that was accepted counts for the first request", async (t, store) => {
  const gateway = await startTestGateway(t, { hooks: { mappings: [ci("failure")] } }, { store });
  await gateway.post("ci", { state: "failed", text: "one" });
  const skipped = await replayed(gateway, (await requests(gateway))[0]!.id);
  assert.equal(skipped["outcome"], "skipped");
  mend(gateway, [ci("failed")]);
  await replayed(gateway, String(skipped["id"]));
  assert.deepEqual((await replayed(gateway, ...all))["replayedBefore"], 1);
});

forEachStore("a replay has no key, and its first request keeps its own", async (t, store) => {
  const gateway = await startTestGateway(t, {}, { store });
  const post = () => gateway.post("agent", { message: "once" }, ["Idempotency-Key: k"]);
  const { runId } = (await post()).json;
  const [kept] = await requests(gateway);
  const { runIds } = await replayed(gateway, kept!.id);
  assert.notDeepEqual(runIds, [runId]);
  const repeated = await post();
  assert.deepEqual([repeated.json["runId"], repeated.headers["idempotent-replayed"]], [runId, "true"]);
  assert.equal((await gateway.runs()).length, 2);
  await gateway.ended((runIds as string[])[0]);
});

forEachStore("a sender's request needs no second proof", async (t, store) => {
  const issues = mapping("github", {
    match: { path: "github", event: "issues.opened" },
    messageTemplate: "{{ hook.event }} {{ hook.delivery }} {{ headers }}",
  });
  const settings = { senders: { github: { kind: "github", secret: githubSecret } }, mappings: [issues] };
  const gateway = await startTestGateway(t, { hooks: settings }, { store });
  const body = JSON.stringify({ action: "opened" });
  assert.equal((await sendGithub(gateway, { body, id: "d-1", event: "issues" })).status, 200);
  const [kept] = await requests(gateway);
  const { runIds } = await replayed(gateway, kept!.id);
  const run = await gateway.ended((runIds as string[])[0]);
  assert.match(plainText(run.request.message), /^issues\.opened d-1 /);
  const forged = await gateway.send({ target: "/hooks/github", body, headers: ["X-GitHub-Event: issues"] });
  assert.equal(forged.status, 401);
  assert.equal((await requests(gateway)).length, 2, "what was not proven is not kept");
});

forEachStore("what is not kept cannot be replayed", async (t, store) => {
  const gateway = await startTestGateway(t, { hooks: { keepRequestBytes: 20 } }, { store });
  await gateway.post("agent", { message: "a body of more than twenty bytes" });
  const [large] = await requests(gateway);
  const refused = await rouse(gateway, "requests", "replay", large!.id);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /its body was not kept: it has 46 bytes, and hooks\.keepRequestBytes is 20\./);
  await gateway.post("agent", "x".repeat(300_000));
  const [unread] = await requests(gateway);
  const unreadable = await rouse(gateway, "requests", "replay", unread!.id);
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.stderr, /cannot be replayed: its body was not kept/);
  assert.equal((await gateway.runs()).length, 1);
});

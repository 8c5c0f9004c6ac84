import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, replied, run } from "../../../test/fixtures/acp-runs.ts";

const refusal = (kind: string) => [`The agent asked for permission (${kind}) and was refused.`];

test("permission is given for the kinds in the config, and once only", async () => {
  let permissions = 0;
  const onActing = async () => ++permissions > 0;
  const edit = await run("permission", "edit", { onActing }, { allow: ["edit"] });
  assert.deepEqual(edit, replied("Chosen: yes", { toolsUsed: ["tool"], acted: true }));
  assert.equal(permissions, 1);
  const read = await run("permission", "read", { onActing }, { allow: ["read"] });
  assert.deepEqual(read, replied("Chosen: yes", { toolsUsed: ["tool"] }));
  assert.equal(permissions, 1, "reading changes nothing");
});

test("permission is refused for every other kind", async () => {
  let permissions = 0;
  const onActing = async () => ++permissions > 0;
  for (const kind of ["execute", "switch_mode"]) {
    const outcome = await run("permission", kind, { onActing }, { allow: ["edit", "other"] });
    assert.deepEqual(outcome, replied("Chosen: no", { warnings: refusal(kind) }));
  }
  assert.equal(permissions, 0);
});

test("permission is refused when the agent offers it only for always, and the run has not acted", async () => {
  let permissions = 0;
  const onActing = async () => ++permissions > 0;
  const outcome = await run("only-always", "edit", { onActing }, { allow: ["edit"] });
  assert.deepEqual(outcome, replied("Chosen: no", { warnings: refusal("edit") }));
  assert.equal(permissions, 0);
});

test("permission is refused when the run may no longer act", async () => {
  const outcome = await run("permission", "edit", { onActing: async () => false }, { allow: ["edit"] });
  assert.deepEqual(outcome, replied("Chosen: no", { warnings: refusal("edit") }));
});

test("without an option to refuse, the request is cancelled, and the failure is final", async () => {
  const outcome = await run("only-yes", "execute");
  assert.deepEqual(outcome, failed("the agent broke off its turn", false, { warnings: refusal("execute") }));
});

test(
  "a tool that changes something without asking is reported, and stops a run that may not act",
  { timeout: 60_000 },
  async () => {
    const outcome = await run("unasked", "", { onActing: async () => false });
    assert.deepEqual(outcome, failed("it was stopped", true, { toolsUsed: ["edit"], acted: true }));
  },
);

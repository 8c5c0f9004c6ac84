import { anUnusedRequest } from "../../../test/builders/acceptance.ts";
import assert from "node:assert/strict";
import test from "node:test";
import { createStoredHome, json } from "../../../test/fixtures/command-line.ts";
import { parseFilterPath } from "../../core/field-path.ts";
import { createMatcher } from "../../hooks/mapping/match.ts";

const hostile = "closed\u001b]0;x\u0007\u202e\u2028\u009b2J\ud800";

test("the value that a filter met is listed, and drives no terminal", async (t) => {
  const { rouse, store } = await createStoredHome(t);
  const payload = [{ written: "action", path: parseFilterPath("action")!, wanted: ["opened"] }];
  const match = { path: "github", source: null, events: null, headers: [], payload };
  const found = createMatcher([{ id: "issues", match }]).find({
    name: "github",
    payload: { action: hostile },
    headers: {},
    query: {},
    now: "2026-01-01T00:00:00.000Z",
  });
  assert.ok(found.kind === "filtered");
  const [reason = ""] = found.reasons;
  await store.recordRequest(anUnusedRequest({ reason }, { hook: "github", credential: "ci" }));
  const [listed] = json(await rouse(["requests", "--json"])) as { outcome: string; reason: string }[];
  assert.deepEqual([listed?.outcome, listed?.reason], ["skipped", reason]);
  assert.match(reason, /^issues: payload\.action was "closed/);
  for (const argv of [["requests"], ["requests", "--json"]]) {
    const { stdout } = await rouse(argv);
    assert.match(stdout, /payload\.action was .*closed/);
    for (const character of ["\u001b", "\u0007", "\u202e", "\u2028", "\u009b"])
      assert.ok(!stdout.includes(character), JSON.stringify(character));
  }
});

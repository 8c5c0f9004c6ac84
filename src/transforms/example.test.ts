// The examples do what their comments say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { call, opened, reference } from "../../test/fixtures/transforms.ts";

const examples = fileURLToPath(new URL("../../examples/transforms", import.meta.url));

const build = (action: string, conclusion: string | null, branch: string) =>
  call({
    action,
    workflow_run: {
      conclusion,
      head_branch: branch,
      name: "CI",
      html_url: "https://github.test/a/b/runs/1",
      head_commit: { message: "left out" },
    },
    repository: { full_name: "a/b" },
  });

test("failed-builds.ts keeps failures of the main branch, in four fields", async (context) => {
  const transforms = await opened(context, examples, ["failed-builds.ts"]);
  const payload = {
    repository: "a/b",
    branch: "main",
    workflow: "CI",
    url: "https://github.test/a/b/runs/1",
  };
  const calls = [
    build("completed", "failure", "main"),
    build("completed", "success", "main"),
    build("in_progress", null, "main"),
    build("completed", "failure", "attempt"),
    call({ zen: "Keep it simple." }),
    call(null),
  ];
  const [first, ...others] = calls.map((each) => transforms.run(reference("failed-builds.ts"), [each]));
  assert.deepEqual(await first, [{ kind: "changed", value: { payload } }]);
  for (const other of others) assert.deepEqual(await other, [{ kind: "skip" }]);
});

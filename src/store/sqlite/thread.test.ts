import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { StoreUnavailable } from "../../core/errors.ts";
import { startWriterThread } from "./thread.ts";

const folder = makeFolder("sqlite-thread");
after(() => rmSync(folder, { recursive: true, force: true }));

test("a thread that dies is started again: its pending calls are refused, and later calls get their own results", async () => {
  const thread = startWriterThread();
  const migrate = () => thread.write({ name: "migrate", input: { now: 1 } });
  const list = (runId: string) => thread.write({ name: "listTurns", input: { runId } });

  thread.open(join(folder, "missing", "rouse.db"));
  const pending = await Promise.allSettled([migrate(), list("a"), list("b")]);
  for (const each of pending)
    assert.ok(each.status === "rejected" && each.reason instanceof StoreUnavailable, each.status);

  thread.open(join(folder, "rouse.db"));
  assert.deepEqual(await Promise.all([migrate(), list("c"), list("d")]), [undefined, [], []]);
  await thread.close();
  await assert.rejects(migrate(), StoreUnavailable);
});

import assert from "node:assert/strict";
import test from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { createStoredHome, json } from "../../../test/fixtures/command-line.ts";
import { startRecordingServer } from "../../../test/fixtures/recording-server.ts";
import type { Settlement } from "../../core/settlement.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import type { Store } from "../../store/ports/store.ts";

async function endRun(store: Store, id: string, next: Settlement["next"]): Promise<void> {
  const { claimed } = await claim(store);
  await store.settleRun(
    claimed.find((each) => each.id === id)!,
    aSettlement({ next }),
  );
}

test("--wait prints the reply, or why there is none", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const good = aRun();
  const bad = aRun();
  const ended = { kind: "ended", status: "succeeded", reply: "42\nsure", error: null } as const;
  const succeeding = await startRecordingServer(
    t,
    202,
    { ok: true, runId: good.id },
    {
      before: async () => {
        await acceptRuns(store, good);
        await endRun(store, good.id, ended);
      },
    },
  );
  const replied = await rouse(["send", "agent", "what?", "--wait", "--url", succeeding.url]);
  assert.equal(replied.code, 0);
  assert.equal(replied.stdout, "42\nsure\n");
  const failing = await startRecordingServer(
    t,
    202,
    { ok: true, runId: bad.id },
    {
      before: async () => {
        await acceptRuns(store, bad);
        await endRun(store, bad.id, { ...ended, status: "failed", reply: null, error: "no model" });
      },
    },
  );
  const failed = await rouse(["send", "agent", "what?", "--wait", "--url", failing.url]);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /failed: no model/);
  const elsewhere = await startRecordingServer(t, 202, {
    ok: true,
    runId: "01990000-0000-7000-8000-000000000000",
  });
  const lost = await rouse(["send", "agent", "what?", "--wait", "--url", elsewhere.url]);
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /another config/);
});

test("--wait waits for every run that was started", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const good = aRun();
  const bad = aRun();
  await acceptRuns(store, good);
  await endRun(store, good.id, { kind: "ended", status: "succeeded", reply: "42", error: null });
  await acceptRuns(store, bad);
  await endRun(store, bad.id, { kind: "ended", status: "failed", reply: null, error: "no model" });
  const send = async (ids: string[], ...more: string[]) => {
    const { url } = await startRecordingServer(t, 202, { ok: true, runIds: ids });
    return rouse(["send", "mails", "--file", "-", "--wait", "--url", url, ...more]);
  };
  const both = await send([good.id, bad.id]);
  assert.equal(both.code, 1);
  assert.equal(both.stdout, `Run ${good.id} has succeeded:\n42\n`);
  assert.match(both.stderr, new RegExp(`Run ${bad.id} has failed: no model`));
  const listed = json(await send([good.id, bad.id], "--json")) as { id: string; status: string }[];
  assert.deepEqual(
    listed.map(({ id, status }) => [id, status]),
    [
      [good.id, "succeeded"],
      [bad.id, "failed"],
    ],
  );
  const one = await send([good.id]);
  assert.equal(one.code, 0);
  assert.equal(one.stdout, "42\n");
  const notes = await startRecordingServer(t, 200, { ok: true, mode: "now", eventIds: ["e1"] });
  const noted = await rouse(["send", "mails", "--file", "-", "--wait", "--url", notes.url]);
  assert.equal(noted.stdout, "Stored as event e1\n");
});

import assert from "node:assert/strict";
import test from "node:test";
import { newId } from "../../core/id.ts";
import { plainText } from "../../core/message.ts";
import { anAcceptance, anEvent, anUnusedRequest } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { acceptRuns, claim, claimNext, startRun } from "../../store/ports/harness.contract.ts";
import type { Store } from "../../store/ports/store.ts";
import { createStoredHome, json } from "../../../test/fixtures/command-line.ts";

type Fields = Record<string, unknown>;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function endedRun(store: Store, delivery: "waiting" | "failed" = "waiting") {
  const accepted = aRun();
  await acceptRuns(store, accepted);
  const deliveryId = newId();
  await claim(store);
  await store.settleRun(
    { ...accepted, lease: "lease" },
    aSettlement({
      delivery: {
        id: deliveryId,
        runId: accepted.id,
        channel: "telegram",
        to: "12345",
        text: "done",
        status: delivery,
        error: delivery === "failed" ? "no" : null,
        fallback: null,
        trace: null,
      },
    }),
  );
  return { id: accepted.id, deliveryId };
}

test("runs --json has the public fields, newest first", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const { id } = await endedRun(store);
  const waiting = aRun();
  await acceptRuns(store, waiting);
  const [newest, oldest] = json(await rouse(["runs", "--json"])) as Fields[];
  const fields =
    "id kind hook name agentId requestedAgentId sessionKey credential requestId status attempts createdAt startedAt endedAt reply error";
  assert.deepEqual(Object.keys(newest!), fields.split(" "));
  assert.equal(newest!["id"], waiting.id);
  assert.equal(newest!["endedAt"], null);
  assert.equal(oldest!["id"], id);
  assert.equal(oldest!["reply"], "done");
  assert.match(String(oldest!["endedAt"]), isoTime);
  assert.equal((json(await rouse(["runs", "--json", "--limit", "1"])) as Fields[]).length, 1);
  assert.equal((json(await rouse(["runs", "--json", "--all"])) as Fields[]).length, 2);
  assert.deepEqual(json(await rouse(["runs", "--json", "--kind", "heartbeat"])), []);
});

test("runs prints a table, and shows one run with its request and deliveries", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  assert.equal((await rouse(["runs"])).stdout, "No runs.\n");
  const { id, deliveryId } = await endedRun(store);
  assert.match((await rouse(["runs"])).stdout, new RegExp(`succeeded.*${id}.*done`));
  const shown = json(await rouse(["runs", "show", id, "--json"])) as Fields;
  assert.equal((shown["request"] as Fields)["message"], "do it");
  assert.equal((shown["deliveries"] as Fields[])[0]!["id"], deliveryId);
  const words = (await rouse(["runs", "show", id])).stdout;
  assert.match(words, new RegExp(`^run ${id}, succeeded$`, "m"));
  assert.match(words, /Delivery +telegram, 12345, being sent$/m);
  const failed = await endedRun(store, "failed");
  const shownFailed = (await rouse(["runs", "show", failed.id])).stdout;
  assert.match(shownFailed, /Delivery +telegram, 12345, failed: no$/m);
});

test("runs show names the signals that were counted in outside text", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const counted = { hiddenCharacters: 3, chatTokens: 0, fakeMarkers: 1, roleLabels: 0 };
  const cases = [
    {
      signals: counted,
      words: /Prompt +no text from outside, 3 hidden characters shown, 1 fake marker, 9 characters$/m,
    },
    {
      signals: { ...counted, hiddenCharacters: 0, fakeMarkers: 0 },
      words: /Prompt +no text from outside, 9 characters$/m,
    },
  ];
  for (const { signals, words } of cases) {
    const one = aRun();
    await acceptRuns(store, one);
    const before = await rouse(["runs", "show", one.id]);
    assert.match(before.stdout, /Prompt +to come$/m);
    await startRun(store, await claimNext(store), { prompt: "Look here" });
    await store.settleRun({ ...one, lease: "lease" }, aSettlement({ signals }));
    assert.match((await rouse(["runs", "show", one.id])).stdout, words);
    assert.deepEqual((json(await rouse(["runs", "show", one.id, "--json"])) as Fields)["signals"], signals);
  }
});

test("runs show has the last line of a running program, harmless for a terminal", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const one = aRun();
  await acceptRuns(store, one);
  await claim(store);
  const line = "3 of 7\u001b[2J files\u202e";
  assert.equal(await store.noteLastLine({ id: one.id, lease: "lease", line }), true);
  assert.match((await rouse(["runs", "show", one.id])).stdout, /^ +last line: 3 of 7\[2J files$/m);
  const printed = await rouse(["runs", "show", one.id, "--json"]);
  assert.ok(!printed.stdout.includes("\u001b") && !printed.stdout.includes("\u202e"));
  assert.equal((json(printed) as Fields)["lastLine"], line);
  await store.settleRun({ ...one, lease: "lease" }, aSettlement());
  assert.doesNotMatch((await rouse(["runs", "show", one.id])).stdout, /last line/);
});

test("runs retry makes a new run of one that has ended", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const { id } = await endedRun(store);
  const again = json(await rouse(["runs", "retry", id, "--json"])) as Fields;
  const queued = await store.findRun(String(again["id"]));
  assert.equal(queued?.status, "queued");
  assert.equal(plainText(queued.request.message), "do it");
  const early = await rouse(["runs", "retry", queued.id]);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /has not ended/);
});

test("runs cancel ends a waiting run with its summary and a heartbeat, once", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const waiting = aRun();
  await acceptRuns(store, waiting);
  const done = await rouse(["runs", "cancel", waiting.id]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await store.findRun(waiting.id))?.status, "cancelled");
  const [summary] = await store.waitingEvents("main", 10);
  assert.equal(plainText(summary?.text ?? []), "Hook Test (cancelled): it was cancelled");
  assert.equal((await store.listRuns({ kind: "heartbeat", limit: 5 })).length, 1);
  assert.equal((await rouse(["runs", "cancel", waiting.id])).code, 1);
});

test("runs cancel asks for a running run to be stopped", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const working = aRun();
  await acceptRuns(store, working);
  await claim(store);
  assert.deepEqual(json(await rouse(["runs", "cancel", working.id, "--json"])), {
    id: working.id,
    result: "requested",
  });
});

test("events are listed, queued to be shown again, and cancelled", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const note = anEvent("see \u001b[2J here");
  await store.accept(anAcceptance({ hook: "wake", events: [note] }));
  const [listed] = json(await rouse(["events", "--json"])) as Fields[];
  assert.deepEqual(Object.keys(listed!), [
    "id",
    "sessionKey",
    "text",
    "hook",
    "requestId",
    "createdAt",
    "shownAt",
  ]);
  assert.equal(listed!["shownAt"], null);
  const table = await rouse(["events"]);
  assert.match(table.stdout, /waiting.*see \[2J here/);
  assert.equal((await rouse(["events", "retry", note.id])).code, 1);
  assert.equal((await rouse(["events", "cancel", note.id])).code, 0);
  assert.deepEqual(await store.waitingEvents("main", 10), []);
  assert.equal((await rouse(["events", "cancel", note.id])).code, 1);
  assert.equal((await rouse(["events", "retry", note.id])).code, 0);
  assert.equal((await store.waitingEvents("main", 10)).length, 1);
  assert.equal(
    (json(await rouse(["events", "show", note.id, "--json"])) as Fields)["text"],
    plainText(note.text),
  );
});

test("deliveries are listed, retried and cancelled", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const { deliveryId, id } = await endedRun(store, "failed");
  const [listed] = json(await rouse(["deliveries", "--json"])) as Fields[];
  const fields = "id runId channel to status attempts sentMessages createdAt sentAt error";
  assert.deepEqual(Object.keys(listed!), fields.split(" "));
  assert.equal(listed!["runId"], id);
  assert.equal(listed!["status"], "failed");
  assert.match((await rouse(["deliveries"])).stdout, /failed +telegram +12345/);
  const shown = (await rouse(["deliveries", "show", deliveryId])).stdout;
  assert.match(shown, new RegExp(`^delivery ${deliveryId}, failed\nto +12345 on telegram\nrun +${id}$`, "m"));
  assert.match(shown, /^sent +0 messages known to be sent\nreason +no\nfallback +none$/m);
  assert.match(shown, /^\| done$/m);
  assert.equal((await rouse(["deliveries", "cancel", deliveryId])).code, 1);
  assert.equal((await rouse(["deliveries", "retry", deliveryId])).code, 0);
  assert.equal((await store.findDelivery(deliveryId))?.status, "waiting");
  assert.equal((await rouse(["deliveries", "retry", deliveryId])).code, 1);
  assert.equal((await rouse(["deliveries", "cancel", deliveryId])).code, 0);
  assert.equal((await store.findDelivery(deliveryId))?.error, "it was cancelled");
});

test("requests are listed with their reason", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  const unused = anUnusedRequest({}, { hook: "gmail" });
  const { id } = unused.request;
  await store.recordRequest(unused);
  const [listed] = json(await rouse(["requests", "--json"])) as Fields[];
  const fields =
    "id hook origin outcome reason credential event delivery address bytes createdAt runIds eventIds replayOf mapping decision";
  assert.deepEqual(Object.keys(listed!), fields.split(" "));
  assert.match((await rouse(["requests"])).stdout, /skipped +gmail .*nothing to do/);
  const shown = (await rouse(["requests", "show", id])).stdout;
  assert.match(shown, /Decided +skipped: nothing to do\n[^]*Answered +204\n[^]*No run /);
});

test("an unknown id fails, a missing one or an unknown verb is wrong usage", async (t) => {
  const { rouse } = await createStoredHome(t);
  for (const name of ["runs", "events", "deliveries"]) {
    for (const verb of ["show", "retry", "cancel"]) {
      const unknown = await rouse([name, verb, newId()]);
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /^There is no /);
      assert.equal((await rouse([name, verb])).code, 2);
    }
    assert.match((await rouse([name, "cancle", "x"])).stderr, /Did you mean cancel/);
    assert.equal((await rouse([name, "show", "a", "b"])).code, 2);
    assert.equal((await rouse([name, "--limit", "0"])).code, 2);
    assert.equal((await rouse([name, "--limit", "1", "--all"])).code, 2);
  }
  assert.equal((await rouse(["runs", "--kind", "odd"])).code, 2);
});

test("on a terminal, a note says that the list was cut", async (t) => {
  const { store, rouse } = await createStoredHome(t);
  await acceptRuns(store, aRun(), aRun());
  const cut = await rouse(["runs", "--limit", "1"], { isTerminal: true, columns: 60 });
  assert.match(cut.stderr, /--all/);
});

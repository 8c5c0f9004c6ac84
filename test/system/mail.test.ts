// Mail through real processes: killed, two on one database, and down for ten days.
import assert from "node:assert/strict";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import type { Run } from "../../src/core/run.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { until } from "../support/process.ts";
import { randomSeed } from "../support/random.ts";
import { createMailLab, faultsIn, mailCrashTest } from "./mail.ts";

const dayMs = 86_400_000;

test("the judge reports a mail without a run, one with two, and a run without a mail", async () => {
  const run = (key: string, status = "succeeded") =>
    ({ id: key, sessionKey: `hook:gmail:${key}`, status }) as Run;
  const faults = async (runs: Run[], requests: string[] = []) =>
    faultsIn(
      {
        listRuns: async () => runs,
        listRequests: async () => requests.map((reason) => ({ reason })) as RequestRecord[],
      } satisfies Partial<Store> as unknown as Store,
      ["a", "b"],
    );
  assert.deepEqual(await faults([run("a"), run("b")]), []);
  assert.deepEqual(await faults([run("a")]), ["mail b has 0 runs"]);
  assert.deepEqual(await faults([run("a"), run("b"), run("b")]), ["mail b has 2 runs"]);
  assert.deepEqual(await faults([run("a"), run("b"), run("c")]), [
    "there is a run hook:gmail:c that no mail asked for",
  ]);
  assert.deepEqual(await faults([run("a"), run("b", "failed")]), ["run b ended as failed"]);
  assert.deepEqual(await faults([run("a"), run("b")], ["mail b: gone"]), ["recorded: mail b: gone"]);
});

suite("mail", { concurrency: true }, () => {
  test("twenty kills while mail arrives: every mail is one run", async (context) => {
    const seed = randomSeed();
    context.diagnostic(`seed ${seed}`);
    const { faults, mails, runs, meanwhile } = await mailCrashTest({
      mails: 120,
      kills: 20,
      store: "sqlite",
      nodes: 1,
      mode: "poll",
      seed,
    });
    assert.deepEqual(faults, []);
    assert.deepEqual([mails, runs], [120, 120]);
    assert.ok(meanwhile > 0, "nothing was stored while it was being killed");
  });

  test("two nodes share one account, with kills, over PostgreSQL: every mail is one run", async (context) => {
    const seed = randomSeed();
    context.diagnostic(`seed ${seed}`);
    const { faults, mails, runs } = await mailCrashTest({
      mails: 60,
      kills: 6,
      store: "postgres",
      nodes: 2,
      mode: "pull",
      seed,
    });
    assert.deepEqual(faults, []);
    assert.deepEqual([mails, runs], [60, 60]);
  });

  test("after ten days down with an expired cursor: recent mail is caught up, and the gap is reported once", async (context) => {
    const lab = await createMailLab({ store: "sqlite", mode: "poll" });
    context.after(() => lab.remove());
    const { google } = lab;
    const now = Date.now();
    const before = lab.launch();
    await before.ready;
    const store = await lab.openStore();
    context.after(() => store.close());
    const account = async () => (await store.listMailAccounts())[0];
    await until("the first sync", async () => (await account())?.cursor);
    const taken = google.gmail.deliver({ at: now - 11 * dayMs });
    await until(
      "the first run",
      async () => (await store.listRuns({ kind: "hook", limit: null })).length === 1,
    );
    assert.equal((await before.stop()).code, 0);

    const database = new DatabaseSync(lab.file);
    database
      .prepare("update mail_account set cursor_at = ?, last_sync_at = ?")
      .run(now - 10 * dayMs, now - 10 * dayMs);
    database.close();
    const tooOld = [9, 8, 7.5].map((days) => google.gmail.deliver({ at: now - days * dayMs }));
    const recent = [6, 4, 2, 0.5].map((days) => google.gmail.deliver({ at: now - days * dayMs }));
    google.gmail.expireHistory();

    const after = lab.launch();
    await after.ready;
    await until(
      "the catch-up",
      async () => (await store.listRuns({ kind: "hook", limit: null })).length >= 5,
    );
    const cursor = (await account())?.cursor;
    await until(
      "another sync",
      async () => (await account())?.cursor !== cursor || google.count("/history") > 3,
    );
    await until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0);
    assert.equal((await after.stop()).code, 0);
    assert.deepEqual(await faultsIn(store, [taken, ...recent]), []);
    const events = (await store.listEvents({ limit: null })).filter(({ source }) => source === "notice");
    assert.equal(events.length, 1);
    const text = plainText(events[0]!.text);
    assert.ok(text.includes(`${tooOld.length} mails were left out: older than 7 days`), text);
    assert.ok(text.includes(new Date(now - 10 * dayMs).toISOString()), text);
    assert.equal((await account())?.status, "ok");
  });
});

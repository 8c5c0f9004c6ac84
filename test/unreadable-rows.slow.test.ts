// A row that cannot be read, whatever damaged it, is set aside with its reason, and everything else goes on: on both
// stores, for each column that holds JSON.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { plainText } from "../src/core/message.ts";
import type { UnreadableRow } from "../src/core/unreadable.ts";
import {
  acceptRuns,
  claim,
  claimHeartbeats,
  leaseMs,
  startRun,
} from "../src/store/ports/harness.contract.ts";
import {
  aHeartbeatRequest,
  anAcceptance,
  anEvent,
  anUnusedRequest,
  aRequest,
} from "./builders/acceptance.ts";
import { aRun } from "./builders/run.ts";
import { aDelivery, anAttempt, aSettlement } from "./builders/settlement.ts";
import { bothStores, type OpenedStore } from "./support/stores.ts";

/** Cut short, and written in a form of another version. */
const damages = { damaged: '{"message":[', reshaped: '{"of":"another version"}' };
type Damage = keyof typeof damages;

type Opened = OpenedStore & {
  found: UnreadableRow[];
  damage(table: string, column: string, where: string, how: Damage): Promise<void>;
};

async function open(name: string, t: TestContext): Promise<Opened> {
  const opened = await bothStores[name]!(t);
  const found: UnreadableRow[] = [];
  opened.store.watchUnreadable((row) => found.push(row));
  return {
    ...opened,
    found,
    async damage(table, column, where, how) {
      await opened.sql(`update ${table} set ${column} = '${damages[how]}' where ${where}`);
    },
  };
}

const waitingTexts = async ({ store }: OpenedStore) =>
  (await store.waitingEvents("main", 100)).map(({ text }) => plainText(text));

async function runGoesOn(opened: Opened, column: string, how: Damage): Promise<void> {
  const { store, clock, damage, found, sql } = opened;
  const first = aRun({ sessionKey: "shop" });
  const behind = aRun({ sessionKey: "shop" });
  const beside = aRun();
  await acceptRuns(store, first, behind, beside);
  await damage("run", column, `id = '${first.id}'`, how);
  const ids = (await claim(store, { limit: 1 })).claimed.map(({ id }) => id);
  ids.push(...(await claim(store)).claimed.map(({ id }) => id));
  assert.deepEqual(ids.toSorted(), [behind.id, beside.id].toSorted());
  const failed = (await store.findRun(first.id))!;
  assert.deepEqual([failed.status, failed.attempts], ["failed", 1]);
  assert.match(failed.error!, new RegExp(`^the stored run cannot be read: its column ${column} `));
  const summaries = (await waitingTexts(opened)).filter((text) => text.includes(first.id));
  assert.equal(summaries.length, 1);
  clock.advance(leaseMs * 10);
  assert.ok(
    (await claim(store)).claimed.every(({ id }) => id !== first.id),
    "it is not tried again",
  );
  assert.deepEqual(
    found.map(({ table, id }) => [table, id]),
    [["run", first.id]],
  );
  assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 3);
  if (column === "request") {
    assert.equal(
      (await sql(`select request from run where id = '${first.id}'`))[0]?.["request"],
      damages[how],
    );
    await assert.rejects(store.repeatRun(first.id, aRun().id), /cannot be repeated/);
  }
}

/** A line for people: nothing but its display depends on it. */
async function lineIsShown({ store, damage, found }: Opened, column: string, how: Damage): Promise<void> {
  await acceptRuns(store, aRun());
  const [run] = (await claim(store)).claimed;
  await store.noteLastLine({ id: run!.id, lease: run!.lease, line: "3 of 7" });
  await damage("run", column, `id = '${run!.id}'`, how);
  assert.match((await store.findRun(run!.id))!.lastLine!, /^\(cannot be read: its column last_line /);
  assert.equal(await store.settleRun(run!, aSettlement()), true);
  assert.equal((await store.findRun(run!.id))!.status, "succeeded");
  assert.deepEqual(found, []);
}

/** What is kept of an attempt is only shown. */
async function attemptIsShown({ store, damage, found }: Opened, column: string, how: Damage): Promise<void> {
  await acceptRuns(store, aRun());
  const [run] = (await claim(store)).claimed;
  const toolCalls = [{ name: "read", atMs: 1, tookMs: 2, ok: true, input: null, output: null }];
  const attempt = anAttempt({ outcome: "failed", reason: "why", toolCalls });
  assert.equal(await store.settleRun(run!, aSettlement({ attempt })), true);
  await damage("attempt", column, `run_id = '${run!.id}'`, how);
  const [kept] = await store.listAttempts(run!.id);
  assert.deepEqual([kept?.number, kept?.outcome], [1, "failed"]);
  if (column === "reason") assert.match(kept?.reason ?? "", /^\(cannot be read: its column reason /);
  else assert.deepEqual(kept?.toolCalls, []);
  assert.deepEqual(found, []);
}

async function eventGoesOn(opened: Opened, column: string, how: Damage): Promise<void> {
  const { store, damage, found, sql } = opened;
  const [bad, good] = [anEvent("bad"), anEvent("good")];
  for (const each of [bad, good]) await store.accept(anAcceptance({ events: [each] }));
  await damage("event", column, `id = '${bad.id}'`, how);
  assert.deepEqual(await waitingTexts(opened), ["good"]);
  const [, notice, ...others] = await waitingTexts(opened);
  assert.match(notice!, new RegExp(`set aside: its column ${column} .*rouse events show ${bad.id}$`));
  assert.deepEqual(others, []);
  assert.deepEqual(
    found.map(({ table, id }) => [table, id]),
    [["event", bad.id]],
  );
  assert.match(plainText((await store.findEvent(bad.id))!.text), /cannot be read/);
  assert.equal((await store.listEvents({ limit: null })).length, 3);
  assert.equal((await sql(`select text from event where id = '${bad.id}'`))[0]?.["text"], damages[how]);
}

async function deliveryGoesOn(opened: Opened, column: string, how: Damage): Promise<void> {
  const { store, clock, damage, found } = opened;
  const run = aRun();
  await acceptRuns(store, run, aRun(), aRun());
  const [bad, behind, other] = [aDelivery(), aDelivery(), aDelivery({ to: "777" })];
  for (const [at, claimed] of (await claim(store)).claimed.entries())
    await store.settleRun(claimed, aSettlement({ delivery: [bad, behind, other][at]! }));
  await damage("delivery", column, `id = '${bad.id}'`, how);
  const claimIds = async (limit: number) =>
    (await store.claimDeliveries({ channel: "telegram", limit, lease: "l", leaseMs })).claimed.map(
      ({ id }) => id,
    );
  const ids = [...(await claimIds(1)), ...(await claimIds(10))];
  assert.deepEqual(ids.toSorted(), [behind.id, other.id].toSorted());
  const failed = (await store.findDelivery(bad.id))!;
  assert.equal(failed.status, "failed");
  assert.match(failed.error!, new RegExp(`^the stored delivery cannot be read: its column ${column} `));
  assert.match((await waitingTexts(opened)).join("\n"), new RegExp(`rouse deliveries show ${bad.id}`));
  clock.advance(leaseMs * 10);
  assert.ok(!(await claimIds(10)).includes(bad.id), "it is not tried again");
  assert.equal(found.length, 1);
  assert.equal((await store.listDeliveries({ limit: null })).length, 3);
}

async function conversationGoesOn(opened: Opened, column: string, how: Damage): Promise<void> {
  const { store, damage, found } = opened;
  const converse = async () => {
    await acceptRuns(store, aRun({ sessionKey: "shop" }));
    const [run] = (await claim(store)).claimed;
    const started = await startRun(store, run!);
    const ending = {
      agentId: "main",
      sessionKey: "shop",
      text: "reply",
      foreignSession: null,
      carried: true,
    };
    await store.settleRun(run!, aSettlement({ ending }));
    assert.ok(started.kind === "go");
    return { id: run!.id, turns: started.history.turns.map(({ text }) => text) };
  };
  const first = await converse();
  await damage("turn", column, `run_id = '${first.id}' and role = 'user'`, how);
  assert.deepEqual((await converse()).turns, ["reply"]);
  assert.deepEqual((await converse()).turns, ["reply", "do shop", "reply"]);
  assert.deepEqual(
    found.map(({ table }) => table),
    ["turn"],
  );
  const [turn] = await store.listTurns({ runId: first.id });
  assert.match(turn!.text, /cannot be read/);
}

async function keyGoesOn({ store, damage, found }: Opened, column: string, how: Damage): Promise<void> {
  const accept = (key: string, parts: Parameters<typeof anAcceptance>[0]) =>
    store.accept(anAcceptance({ idempotency: { key, fingerprint: "f" }, ...parts }));
  const run = aRun();
  await accept("run", { id: run.id, runs: [run] });
  const note = anEvent();
  await accept("wake", { id: note.id, events: [note] });
  await damage("idempotency", column, "true", how);
  const again = await accept("run", { runs: [aRun()] });
  assert.ok(again.kind === "replayed");
  assert.deepEqual(again.response, { status: 202, body: { ok: true, runId: run.id } });
  const wake = await store.findRepeated("agent", { key: "wake", fingerprint: "f" });
  assert.ok(wake?.kind === "replayed");
  assert.deepEqual(wake.response, { status: 200, body: { ok: true } });
  assert.equal((await accept("new", { runs: [aRun()] })).kind, "stored");
  await accept("run", { runs: [aRun()] });
  assert.equal((await store.listRuns({ kind: "hook", limit: null })).length, 2, "nothing is done twice");
  assert.deepEqual(
    found.map(({ table, id }) => [table, id]),
    [
      ["idempotency", run.id],
      ["idempotency", note.id],
    ],
  );
}

async function mailGoesOn({ store, damage, found }: Opened, column: string, how: Damage): Promise<void> {
  for (const id of ["bad", "good"]) {
    await store.claimMailbox({ id, lease: "l", leaseMs });
    const end = { cursor: "1", status: "ok", error: "none", notice: null } as const;
    await store.commitMail({ id, lease: "l", mails: [], end });
    await store.releaseMailbox({ id, lease: "l" });
  }
  await damage("mail_account", column, "id = 'bad'", how);
  const bad = (await store.claimMailbox({ id: "bad", lease: "l", leaseMs }))!;
  if (column === "cursor")
    assert.notEqual(bad.cursor, null, "it would start at the newest mail, and skip the rest");
  assert.equal((await store.claimMailbox({ id: "good", lease: "l", leaseMs }))?.cursor, "1");
  await store.claimMailbox({ id: "bad", lease: "l", leaseMs });
  assert.deepEqual(
    found.map(({ table, id }) => [table, id]),
    [["mail_account", "bad"]],
  );
  assert.equal((await store.listMailAccounts()).length, 2);
}

async function recordsGoOn({ store, damage }: Opened, column: string, how: Damage): Promise<void> {
  for (const id of ["bad", "good"])
    await store.recordRequest(anUnusedRequest({ reason: "no match" }, { id, hook: "shop" }));
  await damage("request", column, "id = 'bad'", how);
  const reasons = (await store.listRequests({ limit: null })).map(({ reason }) => reason);
  assert.equal(reasons[0], "no match");
  assert.match(reasons[1]!, /cannot be read/);
}

/** It can be shown, with what else is known of it. */
async function requestGoesOn({ store, damage, found }: Opened, column: string, how: Damage): Promise<void> {
  const bad = aRequest({ hook: "shop", body: Buffer.from("text"), credential: "ci" });
  const run = aRun({ requestId: bad.id });
  await store.accept(anAcceptance({ runs: [run], request: bad }));
  await store.accept(anAcceptance({ runs: [aRun()], request: aRequest() }));
  await damage("request", column, `id = '${bad.id}'`, how);
  const shown = (await store.listRequests({ limit: null })).at(-1)!;
  assert.deepEqual(
    [shown.id, shown.hook, shown.credential, shown.outcome],
    [bad.id, "shop", "ci", "accepted"],
  );
  assert.deepEqual(await store.findRequest(bad.id), shown);
  if (column === "about") {
    assert.match(shown.reason!, /^\(cannot be read: its column about /);
    assert.deepEqual([shown.arrival, shown.decision, shown.runIds], [null, null, []]);
  } else assert.equal(await store.requestBody(bad.id), null);
  assert.equal((await claim(store)).claimed.length, 2);
  assert.deepEqual(found, []);
}

async function settingsGoOn(
  { store, damage, found, clock }: Opened,
  column: string,
  how: Damage,
): Promise<void> {
  await store.setLastTarget({ channel: "telegram", to: "1" });
  await store.beatIfDue(aHeartbeatRequest(), 60_000);
  await store.probe();
  await damage("setting", column, "true", how);
  assert.equal(await store.lastTarget(), null);
  assert.equal(await store.lastTarget(), null);
  assert.deepEqual(
    found.map(({ table, id }) => [table, id]),
    [["setting", "last-target"]],
  );
  assert.equal(await store.beatIfDue(aHeartbeatRequest(), 60_000), 60_000);
  assert.equal((await claimHeartbeats(store)).claimed.length, 1, "a time that cannot be read is now");
  clock.advance(1000);
  assert.equal(await store.beatIfDue(aHeartbeatRequest(), 60_000), 59_000);
  await store.setLastTarget({ channel: "telegram", to: "2" });
  assert.deepEqual(await store.lastTarget(), { channel: "telegram", to: "2" });
}

type GoesOn = (opened: Opened, column: string, how: Damage) => Promise<void>;

/** Every column that holds JSON, and what must go on when it cannot be read. */
const json: Readonly<Record<string, GoesOn>> = {
  "run.requested_agent_id": runGoesOn,
  "run.request": runGoesOn,
  "run.reply": runGoesOn,
  "run.error": runGoesOn,
  "run.signals": runGoesOn,
  "run.report": runGoesOn,
  "run.last_line": lineIsShown,
  "attempt.reason": attemptIsShown,
  "attempt.tool_calls": attemptIsShown,
  "event.text": eventGoesOn,
  "delivery.recipient": deliveryGoesOn,
  "delivery.text": deliveryGoesOn,
  "delivery.error": deliveryGoesOn,
  "delivery.fallback": deliveryGoesOn,
  "delivery.trace": deliveryGoesOn,
  "turn.text": conversationGoesOn,
  "request.reason": recordsGoOn,
  "request.about": requestGoesOn,
  "request.body": requestGoesOn,
  "idempotency.answer": keyGoesOn,
  "mail_account.cursor": mailGoesOn,
  "mail_account.last_error": mailGoesOn,
  "setting.value": settingsGoOn,
};

/** Names, ids, words of ours and keys of visible ASCII, which are used as they are. */
const plain = [
  "attempt.node attempt.outcome attempt.run_id",
  "audit.actor audit.id audit.outcome audit.subject audit.verb",
  "auth_failure.address",
  "delivery.channel delivery.id delivery.lane delivery.lease delivery.run_id delivery.status",
  "event.hook event.id event.request_id event.run_id event.session_key event.source",
  "idempotency.acceptance_id idempotency.fingerprint idempotency.hook idempotency.key",
  "mail_account.id mail_account.lease mail_account.status",
  "mail_seen.account mail_seen.message_id mail_seen.outcome",
  "paused_hook.hook",
  "request.credential request.hook request.id request.origin request.outcome request.replay_of",
  "run.agent_id run.hook run.id run.kind run.lane run.last_line_lease run.lease run.request_id run.retried_as run.session_key run.status",
  "sender_call.name sender_call.result sender_key.name sender_key.secret",
  "session.agent_id session.foreign_session session.session_key",
  "setting.name",
  "spending.day spending.hook",
  "turn.agent_id turn.role turn.run_id turn.session_key",
].flatMap((line) => line.split(" "));

test("every text column is known to be JSON or a plain word", async (t) => {
  const { sql } = await open("PostgreSQL", t);
  const columns = await sql(
    "select table_name || '.' || column_name as name from information_schema.columns where table_schema = current_schema() and data_type = 'text'",
  );
  const names = columns.map(({ name }) => String(name));
  assert.deepEqual(names.toSorted(), [...Object.keys(json), ...plain].toSorted());
});

for (const name of Object.keys(bothStores))
  describe(`unreadable rows on ${name}`, () => {
    for (const [place, goesOn] of Object.entries(json))
      for (const how of Object.keys(damages) as Damage[])
        test(`${place} ${how}: it is set aside once, and everything else goes on`, async (t) => {
          const opened = await open(name, t);
          await goesOn(opened, place.split(".")[1]!, how);
        });

    test("a thousand unreadable runs are set aside at one claim, and the run behind them is claimed", async (t) => {
      const { store, sql, found } = await open(name, t);
      const many = Array.from({ length: 1000 }, () => aRun());
      await store.accept(anAcceptance({ runs: many }));
      await sql("update run set request = '['");
      const good = aRun();
      await acceptRuns(store, good);
      const { claimed } = await claim(store, { limit: 4 });
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [good.id],
      );
      assert.equal(found.length, 1000);
    });
  });

// What an IMAP mailbox does with any server: tested against a fake server in `npm test`, and against Dovecot in
// `npm run test:imap`.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  found,
  isFault,
  neverAborted,
  openMailbox,
  rawMail,
  read,
  type StartServer,
} from "../../../test/fixtures/imap-server.ts";
import { testIdling } from "./idle.contract.ts";
import { testLargeMails, testReading } from "./read.contract.ts";

export function imapContract(name: string, start: StartServer): void {
  describe(`IMAP mailbox: ${name}`, () => {
    testChanges(start);
    testReading(start);
    testLargeMails(start);
    testRenumbering(start);
    testIdling(start);
    testFaults(start);
  });
}

function testChanges(start: StartServer): void {
  test("mail from before the baseline is not listed; new mail is, once and in order", async (t) => {
    const server = await start(t);
    await server.append({ raw: rawMail("old") });
    const mailbox = openMailbox(t, server.config);
    const before = await mailbox.baseline(neverAborted);
    assert.deepEqual(found(await mailbox.changes(before, neverAborted)), {
      kind: "changes",
      ids: [],
      cursor: before,
    });
    await server.append({ raw: rawMail("one") });
    await server.append({ raw: rawMail("two") });
    const { ids, cursor } = found(await mailbox.changes(before, neverAborted));
    const mails = await Promise.all(ids.map((id) => read(mailbox, id)));
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ["one", "two"],
    );
    assert.deepEqual(found(await mailbox.changes(cursor, neverAborted)).ids, []);
    assert.deepEqual(found(await mailbox.changes(before, neverAborted)).ids, ids);
  });

  test("a mailbox whose last message is old has nothing new", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const empty = await mailbox.baseline(neverAborted);
    assert.deepEqual(found(await mailbox.changes(empty, neverAborted)).ids, []);
    await server.append({ raw: rawMail("one") });
    const { cursor } = found(await mailbox.changes(empty, neverAborted));
    await server.removeAll();
    assert.deepEqual(found(await mailbox.changes(empty, neverAborted)).ids, []);
    assert.deepEqual(found(await mailbox.changes(cursor, neverAborted)).ids, []);
  });

  test("drafts and deleted mail are excluded; expunged mail is gone", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    await server.append({ raw: rawMail("draft"), flags: ["\\Draft"] });
    await server.append({ raw: rawMail("deleted"), flags: ["\\Deleted"] });
    await server.append({ raw: rawMail("seen"), flags: ["\\Seen"] });
    const { ids } = found(await mailbox.changes(cursor, neverAborted));
    const kinds = async () =>
      (await Promise.all(ids.map((id) => mailbox.fetch(id, neverAborted)))).map(({ kind }) => kind);
    assert.deepEqual(await kinds(), ["excluded", "excluded", "mail"]);
    await server.removeAll();
    assert.deepEqual(found(await mailbox.changes(cursor, neverAborted)).ids, []);
    assert.deepEqual(await kinds(), ["gone", "gone", "gone"]);
    assert.deepEqual(await mailbox.fetch("support:m.nothing", neverAborted), { kind: "gone" });
  });
}

function testRenumbering(start: StartServer): void {
  test("a renumbered mailbox is searched by date, and messages keep their ids", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    const hour = 3_600_000;
    const now = Math.floor(Date.now() / 1000) * 1000;
    const at = (hoursAgo: number) => new Date(now - hoursAgo * hour);
    await server.append({ raw: rawMail("long ago"), date: at(400) });
    await server.append({ raw: rawMail("last week"), date: at(100) });
    await server.append({ raw: "Subject: without an id\r\n\r\nx\r\n", date: at(2) });
    await server.append({ raw: rawMail("now"), date: at(0) });
    const { ids } = found(await mailbox.changes(cursor, neverAborted));
    await server.renumber();
    await server.append({ raw: rawMail("after"), date: at(0) });
    assert.deepEqual(await mailbox.changes(cursor, neverAborted), { kind: "expired" });
    const limits = { maxAgeMs: 168 * hour, maxMessages: 10 };
    const recent = await mailbox.catchUp(now - 3 * hour, limits, neverAborted);
    assert.deepEqual(recent.ids.slice(0, 2), ids.slice(2));
    assert.equal((await read(mailbox, recent.ids[2])).subject, "after");
    assert.deepEqual([recent.ids.length, recent.skipped], [3, 0]);
    const all = await mailbox.catchUp(now - 1000 * hour, limits, neverAborted);
    assert.deepEqual([all.ids, all.skipped], [[ids[1], ...recent.ids], 1]);
    const unknown = await mailbox.catchUp(null, { ...limits, maxMessages: 2 }, neverAborted);
    assert.deepEqual([unknown.ids, unknown.skipped], [recent.ids.slice(1), 2]);
    assert.deepEqual(found(await mailbox.changes(recent.cursor, neverAborted)).ids, []);
    await server.append({ raw: rawMail("later") });
    assert.equal(found(await mailbox.changes(recent.cursor, neverAborted)).ids.length, 1);
  });

  test("a message can be read by nothing but its id, before and after a renumbering", async (t) => {
    const server = await start(t);
    const first = openMailbox(t, server.config);
    const cursor = await first.baseline(neverAborted);
    await server.append({ raw: rawMail("one"), date: new Date("2026-03-04T23:59:59Z") });
    await server.append({ raw: rawMail("two"), date: new Date("2026-03-05T00:00:00Z") });
    const { ids } = found(await first.changes(cursor, neverAborted));
    assert.equal((await read(openMailbox(t, server.config), ids[1])).subject, "two");
    await server.renumber();
    const later = openMailbox(t, server.config);
    assert.equal((await read(later, ids[0])).subject, "one");
    assert.equal((await read(later, ids[1])).subject, "two");
  });
}

function testFaults(start: StartServer): void {
  test("a wrong password is a reauth fault, and ends idling", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, { ...server.config, login: { password: "wrong" } });
    await assert.rejects(mailbox.baseline(neverAborted), isFault("reauth"));
    await assert.rejects(
      mailbox.idle(() => {}, neverAborted),
      isFault("reauth"),
    );
  });

  test("a mailbox that does not exist is a broken fault", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, { ...server.config, mailbox: "Nowhere" });
    await assert.rejects(mailbox.baseline(neverAborted), isFault("broken"));
  });

  test("a signal ends a call", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const stop = new AbortController();
    const waiting = mailbox.baseline(stop.signal);
    stop.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    assert.match(await mailbox.baseline(neverAborted), /uidValidity/);
  });
}

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import { createFakeImap, type FakeImap, fakeMailbox, fakePassword } from "../../../test/fakes/imap.ts";
import { type ImapServer, neverAborted, openMailbox, rawMail } from "../../../test/fixtures/imap-server.ts";
import type { MailAccountConfig } from "../../config/config.ts";
import { MailFault } from "../mailbox.ts";
import { imapContract } from "./mailbox.contract.ts";

const account = (port: number): MailAccountConfig => ({
  id: "support",
  host: "127.0.0.1",
  port,
  encryption: "none",
  user: "me@mail.test",
  login: { password: fakePassword },
  mailbox: fakeMailbox,
  pollSeconds: 60,
  includeBody: true,
  maxBytes: 20_000,
  catchUp: { maxAgeMs: 604_800_000, maxMessages: 500 },
});

async function startFake(t: TestContext): Promise<FakeImap> {
  const fake = await createFakeImap();
  t.after(() => fake.stop());
  return fake;
}

async function start(t: TestContext): Promise<ImapServer> {
  const fake = await startFake(t);
  return {
    config: account(fake.port),
    append: async ({ raw, flags = [], date = new Date() }) =>
      fake.add({
        raw: Buffer.from(raw),
        flags: [...flags],
        date: new Date(Math.floor(date.getTime() / 1000) * 1000),
      }),
    flags: async () => fake.messages.map(({ flags }) => flags),
    removeAll: async () => fake.removeAll(),
    async renumber() {
      fake.uidValidity += 1;
      fake.messages = fake.messages.map((message, at) => ({ ...message, uid: 101 + at }));
      fake.uidNext = 101 + fake.messages.length;
      fake.dropAll();
    },
    async restart() {
      await fake.stop();
      await fake.start();
    },
  };
}

imapContract("the fake server", start);

const faultOf = async (work: Promise<unknown>): Promise<MailFault> => {
  try {
    await work;
  } catch (fault) {
    if (fault instanceof MailFault) return fault;
    throw fault;
  }
  throw new assert.AssertionError({ message: "it should have failed" });
};

test("only commands that change nothing are sent", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  const cursor = await mailbox.baseline(neverAborted);
  fake.add({ raw: Buffer.from(rawMail("one")) });
  const changes = await mailbox.changes(cursor, neverAborted);
  for (const id of changes.kind === "changes" ? changes.ids : []) await mailbox.fetch(id, neverAborted);
  await mailbox.catchUp(null, { maxAgeMs: 1000, maxMessages: 1 }, neverAborted);
  const names = new Set(
    fake.commands.map((command) => command.split(" ").slice(0, 2).join(" ").toUpperCase()),
  );
  const sent = [...names].map((name) => (name.startsWith("UID ") ? name : name.split(" ")[0]));
  const allowed = [
    "CAPABILITY",
    "LOGIN",
    "LIST",
    "LSUB",
    "EXAMINE",
    "UID FETCH",
    "UID SEARCH",
    "NOOP",
    "IDLE",
  ];
  assert.deepEqual(
    sent.filter((name) => !allowed.includes(name ?? "")),
    [],
  );
  assert.ok(sent.includes("UID FETCH"));
  assert.deepEqual(
    fake.commands.filter((command) => /BODY\[/i.test(command)),
    [],
  );
});

test("Gmail's own ids, threads and labels are used where the server offers them", async (t) => {
  const fake = await startFake(t);
  fake.capabilities = "IMAP4rev1 IDLE X-GM-EXT-1";
  const mailbox = openMailbox(t, account(fake.port));
  const cursor = await mailbox.baseline(neverAborted);
  const gmail = { id: "18446744073709551615", thread: "17", labels: ["\\Important", "Work"] };
  fake.add({ raw: Buffer.from(rawMail("one")), gmail });
  const changes = await mailbox.changes(cursor, neverAborted);
  const id = "support:M.18446744073709551615";
  assert.deepEqual(changes.kind === "changes" && changes.ids, [id]);
  const fetched = await openMailbox(t, account(fake.port)).fetch(id, neverAborted);
  assert.equal(fetched.kind, "mail");
  assert.deepEqual(fetched.kind === "mail" && [fetched.mail.threadId, fetched.mail.labels], [
    "17",
    gmail.labels,
  ]);
});

test("two copies within one second count as one message", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  const cursor = await mailbox.baseline(neverAborted);
  const date = new Date("2026-03-04T05:06:07Z");
  for (const subject of ["one", "one", "two"]) fake.add({ raw: Buffer.from(rawMail(subject)), date });
  fake.add({ raw: Buffer.from(rawMail("one")), date: new Date(date.getTime() + 1000) });
  const changes = await mailbox.changes(cursor, neverAborted);
  assert.equal(changes.kind === "changes" && changes.ids.length, 3);
});

test("a server that sends no UIDNEXT is read, too", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  fake.add({ raw: Buffer.from(rawMail("old")), uid: 7 });
  fake.uidNext = 0;
  const cursor = await mailbox.baseline(neverAborted);
  assert.match(cursor, /"uid":7/);
  fake.add({ raw: Buffer.from(rawMail("new")), uid: 9 });
  fake.uidNext = 0;
  const changes = await mailbox.changes(cursor, neverAborted);
  assert.equal(changes.kind === "changes" && changes.ids.length, 1);
});

test("a cursor of another form has expired", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  for (const cursor of [
    "",
    "17",
    "null",
    "{}",
    '{"uidValidity":1000,"uid":1}',
    '{"uidValidity":"1000","uid":"1"}',
  ]) {
    assert.deepEqual(await mailbox.changes(cursor, neverAborted), { kind: "expired" });
  }
});

test("a temporary refusal of the login is a retry fault; a lasting one is a reauth fault", async (t) => {
  const fake = await startFake(t);
  const kindAfter = async (response: string) => {
    fake.loginResponse = response;
    return (await faultOf(openMailbox(t, account(fake.port)).baseline(neverAborted))).kind;
  };
  assert.equal(await kindAfter("NO [AUTHENTICATIONFAILED] no"), "reauth");
  assert.equal(await kindAfter("NO no"), "reauth");
  assert.equal(await kindAfter("NO [EXPIRED] no"), "reauth");
  assert.equal(await kindAfter("NO [UNAVAILABLE] Temporary authentication failure."), "retry");
  assert.equal(await kindAfter("NO [ALERT] Too many simultaneous connections. (Failure)"), "retry");
  assert.equal(await kindAfter("NO [LIMIT] no"), "retry");
  assert.equal(await kindAfter("drop"), "retry");
});

test("a login that the server does not offer is a broken fault", async (t) => {
  const fake = await startFake(t);
  const withToken = { ...account(fake.port), login: { accessToken: "secret-token" } };
  assert.equal((await faultOf(openMailbox(t, withToken).baseline(neverAborted))).kind, "broken");
  fake.capabilities = "IMAP4rev1 LOGINDISABLED";
  assert.equal((await faultOf(openMailbox(t, account(fake.port)).baseline(neverAborted))).kind, "broken");
  const upgrading = await faultOf(
    openMailbox(t, { ...account(fake.port), encryption: "starttls" }).baseline(neverAborted),
  );
  assert.deepEqual([upgrading.kind, upgrading.message], ["broken", "the server does not offer STARTTLS"]);
  assert.deepEqual(
    fake.commands.filter((command) => /LOGIN|AUTHENTICATE|secret/.test(command)),
    [],
  );
});

test("faults show neither the account nor the server's text", async (t) => {
  const fake = await startFake(t);
  const faults = [
    await faultOf(
      openMailbox(t, { ...account(fake.port), login: { password: "wrong" } }).baseline(neverAborted),
    ),
  ];
  faults.push(
    await faultOf(openMailbox(t, { ...account(fake.port), mailbox: "Private" }).baseline(neverAborted)),
  );
  await fake.stop();
  faults.push(await faultOf(openMailbox(t, account(fake.port)).baseline(neverAborted)));
  assert.deepEqual(
    faults.map(({ message }) => message),
    [
      "the server refused the login (AUTHENTICATIONFAILED)",
      "the mailbox does not exist on the server",
      "the server could not be reached (ECONNREFUSED)",
    ],
  );
});

test("a lost connection is never taken for an empty mailbox", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  const cursor = await mailbox.baseline(neverAborted);
  fake.add({ raw: Buffer.from(rawMail("one")) });
  const changes = await mailbox.changes(cursor, neverAborted);
  const id = changes.kind === "changes" ? (changes.ids[0] ?? "") : "";
  for (const command of ["EXAMINE", "UID FETCH", "UID SEARCH"]) {
    fake.dropOn.add(command);
    const fresh = openMailbox(t, account(fake.port));
    assert.equal((await faultOf(fresh.fetch(id, neverAborted))).kind, "retry", command);
    assert.equal(
      (await faultOf(fresh.catchUp(null, { maxAgeMs: 1e9, maxMessages: 5 }, neverAborted))).kind,
      "retry",
    );
    if (command !== "UID SEARCH")
      assert.equal((await faultOf(fresh.changes(cursor, neverAborted))).kind, "retry");
    fake.dropOn.clear();
  }
  assert.deepEqual(await mailbox.changes(cursor, neverAborted), changes);
});

test("one connection is shared, and opened again when it is lost", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  await Promise.all([1, 2, 3].map(() => mailbox.baseline(neverAborted)));
  assert.equal(fake.openConnections(), 1);
  fake.dropAll();
  await eventually(() => fake.openConnections() === 0);
  await mailbox.baseline(neverAborted);
  assert.equal(fake.openConnections(), 1);
  mailbox.close();
  await eventually(() => fake.openConnections() === 0);
});

test("a signal ends a command without a response, and idling, and closes the connection", async (t) => {
  const fake = await startFake(t);
  const mailbox = openMailbox(t, account(fake.port));
  for (const command of ["LOGIN", "EXAMINE"]) {
    fake.silentOn.add(command);
    const stop = new AbortController();
    const before = fake.commands.length;
    const waiting = mailbox.baseline(stop.signal);
    await eventually(() => fake.commands.slice(before).some((each) => each.startsWith(command)));
    stop.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    await eventually(() => fake.openConnections() === 0);
    fake.silentOn.clear();
  }
  const stop = new AbortController();
  const idling = mailbox.idle(() => {}, stop.signal);
  await eventually(() => fake.commands.includes("IDLE"));
  stop.abort();
  await idling;
  await eventually(() => fake.openConnections() === 0);
  assert.equal(await mailbox.idle(() => assert.fail("a hint after the end"), stop.signal), undefined);
});

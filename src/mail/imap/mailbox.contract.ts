// What an IMAP mailbox does with any server: tested against a fake server in `npm test`, and against Dovecot in
// `npm run test:imap`.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { MailAccountConfig } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import { type Changes, type Mail, MailFault } from "../mailbox.ts";
import { createImapMailbox, type ImapMailbox } from "./mailbox.ts";

export type NewMail = { raw: string; flags?: readonly string[]; date?: Date };

/** A server with one empty mailbox, used by one test. */
export type ImapServer = {
  config: MailAccountConfig;
  append(mail: NewMail): Promise<void>;
  /** The flags of every message, in order, as another client sees them. */
  flags(): Promise<string[][]>;
  removeAll(): Promise<void>;
  /** The same messages with their dates, under another UIDVALIDITY. */
  renumber(): Promise<void>;
  /** Stops, and starts again at the same address. */
  restart(): Promise<void>;
};

const neverAborted = new AbortController().signal;

export const rawMail = (subject: string, ...lines: string[]): string =>
  [
    "From: Ann <ann@mail.test>",
    "To: me@mail.test",
    `Subject: ${subject}`,
    "Date: Tue, 3 Mar 2026 10:20:30 +0000",
    `Message-ID: <${subject.replaceAll(" ", ".")}@mail.test>`,
    ...(lines.length > 0 ? lines : ["", `The text of ${subject}.`]),
    "",
  ].join("\r\n");

export function open(t: TestContext, config: MailAccountConfig): ImapMailbox {
  const mailbox = createImapMailbox(config, { clock: systemClock });
  t.after(() => mailbox.close());
  return mailbox;
}

function found(changes: Changes): { ids: readonly string[]; cursor: string } {
  assert.equal(changes.kind, "changes");
  return changes;
}

async function read(mailbox: ImapMailbox, id: string | undefined): Promise<Mail> {
  const fetched = await mailbox.fetch(id ?? "", neverAborted);
  assert.equal(fetched.kind, "mail");
  return fetched.mail;
}

const isFault = (kind: MailFault["kind"]) => (fault: unknown) =>
  fault instanceof MailFault && fault.kind === kind;

/** Resolves with the next hint. */
function hints() {
  let count = 0;
  let wake = (): void => {};
  return {
    onHint: (): void => {
      count += 1;
      wake();
    },
    next: (): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          count = 0;
          wake = () => {};
          resolve();
        };
        if (count > 0) wake();
      }),
  };
}

type Start = (t: TestContext) => Promise<ImapServer>;

export function imapContract(name: string, start: Start): void {
  describe(`IMAP mailbox: ${name}`, () => {
    testChanges(start);
    testReading(start);
    testLargeMails(start);
    testRenumbering(start);
    testIdling(start);
    testFaults(start);
  });
}

function testChanges(start: Start): void {
  test("mail from before the baseline is not listed; new mail is, once and in order", async (t) => {
    const server = await start(t);
    await server.append({ raw: rawMail("old") });
    const mailbox = open(t, server.config);
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
    const mailbox = open(t, server.config);
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
    const mailbox = open(t, server.config);
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

function testReading(start: Start): void {
  test("all fields of a mail are read, and the mail stays unread", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    const date = new Date("2026-03-04T05:06:07Z");
    await server.append({ raw: rawMail("lunch"), date });
    const [id = ""] = found(await mailbox.changes(cursor, neverAborted)).ids;
    assert.match(id, /^support:[\w.-]+$/);
    assert.deepEqual(await read(mailbox, id), {
      id,
      threadId: null,
      from: "Ann <ann@mail.test>",
      to: "me@mail.test",
      subject: "lunch",
      date: date.toISOString(),
      snippet: "The text of lunch.",
      body: "The text of lunch.",
      bodyTruncated: false,
      labels: [server.config.mailbox],
      attachments: [],
    });
    const [flags = []] = await server.flags();
    assert.deepEqual(
      flags.filter((flag) => flag !== "\\Recent"),
      [],
    );
  });

  test("bodies are cut, or left out, as configured", async (t) => {
    const server = await start(t);
    const cursor = await open(t, server.config).baseline(neverAborted);
    await server.append({ raw: rawMail("long", "", "word ".repeat(1000)) });
    const short = open(t, { ...server.config, maxBytes: 100 });
    const [id] = found(await short.changes(cursor, neverAborted)).ids;
    const mail = await read(short, id);
    assert.equal(mail.bodyTruncated, true);
    assert.match(mail.body, /^word word .*… \(cut: 4999 bytes in all\)$/);
    const bare = await read(open(t, { ...server.config, includeBody: false }), id);
    assert.deepEqual([bare.body, bare.bodyTruncated, bare.snippet.length], ["", false, 200]);
  });
}

function testLargeMails(start: Start): void {
  test("of a very large mail only the texts are loaded", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    const file = Buffer.alloc(1_500_000, 7).toString("base64").replace(/.{76}/g, "$&\r\n");
    const part = (type: string, ...lines: string[]) => ["--b", `Content-Type: ${type}`, ...lines];
    const raw = rawMail(
      "large",
      "MIME-Version: 1.0",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...part(
        "application/pdf; name=big.pdf",
        "Content-Transfer-Encoding: base64",
        "Content-Disposition: attachment; filename=big.pdf",
        "",
        file,
      ),
      ...part(
        "text/plain; charset=iso-8859-1",
        "Content-Transfer-Encoding: quoted-printable",
        "",
        "Gr=FC=DFe",
      ),
      "--b--",
    );
    await server.append({ raw });
    const [id] = found(await mailbox.changes(cursor, neverAborted)).ids;
    const { subject, body, attachments } = await read(mailbox, id);
    assert.deepEqual([subject, body], ["large", "Grüße"]);
    assert.deepEqual(
      attachments.map(({ name, type }) => [name, type]),
      [["big.pdf", "application/pdf"]],
    );
    assert.ok(Math.abs((attachments[0]?.bytes ?? 0) / 1_500_000 - 1) < 0.05);
  });

  test("of a very long text only the beginning is read", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    await server.append({
      raw: rawMail("long", "Content-Type: text/html", "", "<p>wörd</p>\r\n".repeat(40_000)),
    });
    const [id] = found(await mailbox.changes(cursor, neverAborted)).ids;
    const { subject, body, bodyTruncated } = await read(mailbox, id);
    assert.deepEqual([subject, body.slice(0, 12), bodyTruncated], ["long", "wörd\n\nwörd\n\n", true]);
    const all = await read(open(t, { ...server.config, maxBytes: 350_000 }), id);
    assert.match(all.body, /wörd\n\n… \(cut: the text is longer than this\)$/);
    assert.equal(all.bodyTruncated, true);
  });
}

function testRenumbering(start: Start): void {
  test("a renumbered mailbox is searched by date, and messages keep their ids", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
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

  test("a message can be read by its id alone, before and after a renumbering", async (t) => {
    const server = await start(t);
    const first = open(t, server.config);
    const cursor = await first.baseline(neverAborted);
    await server.append({ raw: rawMail("one"), date: new Date("2026-03-04T23:59:59Z") });
    await server.append({ raw: rawMail("two"), date: new Date("2026-03-05T00:00:00Z") });
    const { ids } = found(await first.changes(cursor, neverAborted));
    assert.equal((await read(open(t, server.config), ids[1])).subject, "two");
    await server.renumber();
    const later = open(t, server.config);
    assert.equal((await read(later, ids[0])).subject, "one");
    assert.equal((await read(later, ids[1])).subject, "two");
  });
}

function testIdling(start: Start): void {
  test("a hint comes at the start, and when another client brings a message", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const { onHint, next } = hints();
    const stop = new AbortController();
    const idling = mailbox.idle(onHint, stop.signal);
    await next();
    const cursor = await mailbox.baseline(neverAborted);
    const hint = next();
    await server.append({ raw: rawMail("one") });
    await hint;
    assert.equal(found(await mailbox.changes(cursor, neverAborted)).ids.length, 1);
    stop.abort();
    await idling;
  });

  test("after a restart of the server, idling goes on by itself", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const { onHint, next } = hints();
    const stop = new AbortController();
    const idling = mailbox.idle(onHint, stop.signal);
    await next();
    const cursor = await mailbox.baseline(neverAborted);
    const hint = next();
    await server.restart();
    await hint;
    const second = next();
    await server.append({ raw: rawMail("one") });
    await second;
    assert.equal(found(await mailbox.changes(cursor, neverAborted)).ids.length, 1);
    stop.abort();
    await idling;
  });
}

function testFaults(start: Start): void {
  test("a wrong password is a reauth fault, and ends idling", async (t) => {
    const server = await start(t);
    const mailbox = open(t, { ...server.config, login: { password: "wrong" } });
    await assert.rejects(mailbox.baseline(neverAborted), isFault("reauth"));
    await assert.rejects(
      mailbox.idle(() => {}, neverAborted),
      isFault("reauth"),
    );
  });

  test("a mailbox that does not exist is a broken fault", async (t) => {
    const server = await start(t);
    const mailbox = open(t, { ...server.config, mailbox: "Nowhere" });
    await assert.rejects(mailbox.baseline(neverAborted), isFault("broken"));
  });

  test("a signal ends a call", async (t) => {
    const server = await start(t);
    const mailbox = open(t, server.config);
    const stop = new AbortController();
    const waiting = mailbox.baseline(stop.signal);
    stop.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    assert.match(await mailbox.baseline(neverAborted), /uidValidity/);
  });
}

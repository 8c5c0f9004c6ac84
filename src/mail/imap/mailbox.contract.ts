// What a mailbox over IMAP does, whatever the server: run against a small server of our own in `npm test`, and against
// Dovecot in `npm run test:imap`.
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
  /** Away, and back under the same address. */
  restart(): Promise<void>;
};

const unheard = new AbortController().signal;

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
  const fetched = await mailbox.fetch(id ?? "", unheard);
  assert.equal(fetched.kind, "mail");
  return fetched.mail;
}

const isFault = (kind: MailFault["kind"]) => (fault: unknown) =>
  fault instanceof MailFault && fault.kind === kind;

/** Resolves with the next hint. */
function hints() {
  let heard = 0;
  let wake = (): void => {};
  return {
    onHint: (): void => {
      heard += 1;
      wake();
    },
    next: (): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          heard = 0;
          wake = () => {};
          resolve();
        };
        if (heard > 0) wake();
      }),
  };
}

export function imapContract(name: string, start: (t: TestContext) => Promise<ImapServer>): void {
  describe(`IMAP mailbox: ${name}`, () => {
    test("mail that was there before is not looked at; new mail is found once, in order", async (t) => {
      const server = await start(t);
      await server.append({ raw: rawMail("old") });
      const mailbox = open(t, server.config);
      const before = await mailbox.baseline(unheard);
      assert.deepEqual(found(await mailbox.changes(before, unheard)), {
        kind: "changes",
        ids: [],
        cursor: before,
      });
      await server.append({ raw: rawMail("one") });
      await server.append({ raw: rawMail("two") });
      const { ids, cursor } = found(await mailbox.changes(before, unheard));
      const mails = await Promise.all(ids.map((id) => read(mailbox, id)));
      assert.deepEqual(
        mails.map(({ subject }) => subject),
        ["one", "two"],
      );
      assert.deepEqual(found(await mailbox.changes(cursor, unheard)).ids, []);
      assert.deepEqual(found(await mailbox.changes(before, unheard)).ids, ids);
    });

    test("a mail has everything in its place, and stays unread", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const cursor = await mailbox.baseline(unheard);
      const date = new Date("2026-03-04T05:06:07Z");
      await server.append({ raw: rawMail("lunch"), date });
      const [id = ""] = found(await mailbox.changes(cursor, unheard)).ids;
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

    test("a mailbox whose last message is old has nothing new", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const empty = await mailbox.baseline(unheard);
      assert.deepEqual(found(await mailbox.changes(empty, unheard)).ids, []);
      await server.append({ raw: rawMail("one") });
      const { cursor } = found(await mailbox.changes(empty, unheard));
      await server.removeAll();
      assert.deepEqual(found(await mailbox.changes(empty, unheard)).ids, []);
      assert.deepEqual(found(await mailbox.changes(cursor, unheard)).ids, []);
    });

    test("drafts and deleted mail are left out; what is gone is gone", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const cursor = await mailbox.baseline(unheard);
      await server.append({ raw: rawMail("draft"), flags: ["\\Draft"] });
      await server.append({ raw: rawMail("deleted"), flags: ["\\Deleted"] });
      await server.append({ raw: rawMail("seen"), flags: ["\\Seen"] });
      const { ids } = found(await mailbox.changes(cursor, unheard));
      const kinds = async () =>
        (await Promise.all(ids.map((id) => mailbox.fetch(id, unheard)))).map(({ kind }) => kind);
      assert.deepEqual(await kinds(), ["excluded", "excluded", "mail"]);
      await server.removeAll();
      assert.deepEqual(found(await mailbox.changes(cursor, unheard)).ids, []);
      assert.deepEqual(await kinds(), ["gone", "gone", "gone"]);
      assert.deepEqual(await mailbox.fetch("support:m.nothing", unheard), { kind: "gone" });
    });

    test("bodies are cut, or left out, as configured", async (t) => {
      const server = await start(t);
      const cursor = await open(t, server.config).baseline(unheard);
      await server.append({ raw: rawMail("long", "", "word ".repeat(1000)) });
      const short = open(t, { ...server.config, maxBytes: 100 });
      const [id] = found(await short.changes(cursor, unheard)).ids;
      const mail = await read(short, id);
      assert.equal(mail.bodyTruncated, true);
      assert.match(mail.body, /^word word .*… \(cut: 4999 bytes in all\)$/);
      const bare = await read(open(t, { ...server.config, includeBody: false }), id);
      assert.deepEqual([bare.body, bare.bodyTruncated, bare.snippet.length], ["", false, 200]);
    });

    test("a very large mail is read without being loaded", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const cursor = await mailbox.baseline(unheard);
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
      const [id] = found(await mailbox.changes(cursor, unheard)).ids;
      const { subject, body, attachments } = await read(mailbox, id);
      assert.deepEqual([subject, body], ["large", "Grüße"]);
      assert.deepEqual(
        attachments.map(({ name, type }) => [name, type]),
        [["big.pdf", "application/pdf"]],
      );
      assert.ok(Math.abs((attachments[0]?.bytes ?? 0) / 1_500_000 - 1) < 0.05);
    });

    test("of a very long text the beginning is read", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const cursor = await mailbox.baseline(unheard);
      await server.append({
        raw: rawMail("long", "Content-Type: text/html", "", "<p>wörd</p>\r\n".repeat(40_000)),
      });
      const [id] = found(await mailbox.changes(cursor, unheard)).ids;
      const { subject, body, bodyTruncated } = await read(mailbox, id);
      assert.deepEqual([subject, body.slice(0, 12), bodyTruncated], ["long", "wörd\n\nwörd\n\n", true]);
      const all = await read(open(t, { ...server.config, maxBytes: 350_000 }), id);
      assert.match(all.body, /wörd\n\n… \(cut: the text is longer than this\)$/);
      assert.equal(all.bodyTruncated, true);
    });

    test("a renumbered mailbox is looked through by date, and the same mail has the same id", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const cursor = await mailbox.baseline(unheard);
      const hour = 3_600_000;
      const now = Math.floor(Date.now() / 1000) * 1000;
      const at = (hoursAgo: number) => new Date(now - hoursAgo * hour);
      await server.append({ raw: rawMail("long ago"), date: at(400) });
      await server.append({ raw: rawMail("last week"), date: at(100) });
      await server.append({ raw: "Subject: without an id\r\n\r\nx\r\n", date: at(2) });
      await server.append({ raw: rawMail("now"), date: at(0) });
      const { ids } = found(await mailbox.changes(cursor, unheard));
      await server.renumber();
      await server.append({ raw: rawMail("after"), date: at(0) });
      assert.deepEqual(await mailbox.changes(cursor, unheard), { kind: "expired" });
      const limits = { maxAgeMs: 168 * hour, maxMessages: 10 };
      const recent = await mailbox.catchUp(now - 3 * hour, limits, unheard);
      assert.deepEqual(recent.ids.slice(0, 2), ids.slice(2));
      assert.equal((await read(mailbox, recent.ids[2])).subject, "after");
      assert.deepEqual([recent.ids.length, recent.skipped], [3, 0]);
      const all = await mailbox.catchUp(now - 1000 * hour, limits, unheard);
      assert.deepEqual([all.ids, all.skipped], [[ids[1], ...recent.ids], 1]);
      const unknown = await mailbox.catchUp(null, { ...limits, maxMessages: 2 }, unheard);
      assert.deepEqual([unknown.ids, unknown.skipped], [recent.ids.slice(1), 2]);
      assert.deepEqual(found(await mailbox.changes(recent.cursor, unheard)).ids, []);
      await server.append({ raw: rawMail("later") });
      assert.equal(found(await mailbox.changes(recent.cursor, unheard)).ids.length, 1);
    });

    test("a message can be read by its id alone, before and after a renumbering", async (t) => {
      const server = await start(t);
      const first = open(t, server.config);
      const cursor = await first.baseline(unheard);
      await server.append({ raw: rawMail("one"), date: new Date("2026-03-04T23:59:59Z") });
      await server.append({ raw: rawMail("two"), date: new Date("2026-03-05T00:00:00Z") });
      const { ids } = found(await first.changes(cursor, unheard));
      assert.equal((await read(open(t, server.config), ids[1])).subject, "two");
      await server.renumber();
      const later = open(t, server.config);
      assert.equal((await read(later, ids[0])).subject, "one");
      assert.equal((await read(later, ids[1])).subject, "two");
    });

    test("a hint comes at the start, and when another client brings a message", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const { onHint, next } = hints();
      const stop = new AbortController();
      const watching = mailbox.idle(onHint, stop.signal);
      await next();
      const cursor = await mailbox.baseline(unheard);
      const hint = next();
      await server.append({ raw: rawMail("one") });
      await hint;
      assert.equal(found(await mailbox.changes(cursor, unheard)).ids.length, 1);
      stop.abort();
      await watching;
    });

    test("after the server was away, the watch goes on by itself", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const { onHint, next } = hints();
      const stop = new AbortController();
      const watching = mailbox.idle(onHint, stop.signal);
      await next();
      const cursor = await mailbox.baseline(unheard);
      const hint = next();
      await server.restart();
      await hint;
      const second = next();
      await server.append({ raw: rawMail("one") });
      await second;
      assert.equal(found(await mailbox.changes(cursor, unheard)).ids.length, 1);
      stop.abort();
      await watching;
    });

    test("a wrong password is for a person to mend, and ends the watch", async (t) => {
      const server = await start(t);
      const mailbox = open(t, { ...server.config, login: { password: "wrong" } });
      await assert.rejects(mailbox.baseline(unheard), isFault("reauth"));
      await assert.rejects(
        mailbox.idle(() => {}, unheard),
        isFault("reauth"),
      );
    });

    test("a mailbox that does not exist is a matter of configuration", async (t) => {
      const server = await start(t);
      const mailbox = open(t, { ...server.config, mailbox: "Nowhere" });
      await assert.rejects(mailbox.baseline(unheard), isFault("broken"));
    });

    test("a signal ends what is under way", async (t) => {
      const server = await start(t);
      const mailbox = open(t, server.config);
      const stop = new AbortController();
      const waiting = mailbox.baseline(stop.signal);
      stop.abort();
      await assert.rejects(waiting, { name: "AbortError" });
      assert.match(await mailbox.baseline(unheard), /uidValidity/);
    });
  });
}

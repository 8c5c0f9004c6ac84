// What is read of a message, on any server.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  found,
  neverAborted,
  openMailbox,
  rawMail,
  read,
  type StartServer,
} from "../../../test/fixtures/imap-server.ts";

export function testReading(start: StartServer): void {
  test("all fields of a mail are read, and the mail stays unread", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
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
    const cursor = await openMailbox(t, server.config).baseline(neverAborted);
    await server.append({ raw: rawMail("long", "", "word ".repeat(1000)) });
    const short = openMailbox(t, { ...server.config, maxBytes: 100 });
    const [id] = found(await short.changes(cursor, neverAborted)).ids;
    const mail = await read(short, id);
    assert.equal(mail.bodyTruncated, true);
    assert.match(mail.body, /^word word .*… \(cut: 4999 bytes in all\)$/);
    const bare = await read(openMailbox(t, { ...server.config, includeBody: false }), id);
    assert.deepEqual([bare.body, bare.bodyTruncated, bare.snippet.length], ["", false, 200]);
  });
}

export function testLargeMails(start: StartServer): void {
  test("only the texts of a very large mail are loaded", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
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

  test("a very long text is cut", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const cursor = await mailbox.baseline(neverAborted);
    await server.append({
      raw: rawMail("long", "Content-Type: text/html", "", "<p>wörd</p>\r\n".repeat(40_000)),
    });
    const [id] = found(await mailbox.changes(cursor, neverAborted)).ids;
    const { subject, body, bodyTruncated } = await read(mailbox, id);
    assert.deepEqual([subject, body.slice(0, 12), bodyTruncated], ["long", "wörd\n\nwörd\n\n", true]);
    const all = await read(openMailbox(t, { ...server.config, maxBytes: 350_000 }), id);
    assert.match(all.body, /wörd\n\n… \(cut: the text is longer than this\)$/);
    assert.equal(all.bodyTruncated, true);
  });
}

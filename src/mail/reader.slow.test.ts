// Mails made to be slow: the work grows with the mail, is done in another thread, and has an end.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { assertLinearAsync } from "../../test/support/growth.ts";
import { MailFault } from "./mailbox.ts";
import { nothingRead, unreadText } from "./message.ts";
import { readMime } from "./parse.ts";
import { createMailReader, type MailReader, type ReaderOptions } from "./reader.ts";

type Write = (size: number) => string;
const fill =
  (head: string, piece: string): Write =>
  (size) =>
    head + piece.repeat(Math.ceil(size / piece.length));
const flowed = "Content-Type: text/plain; format=flowed\n\n";
const mixed = "Content-Type: multipart/mixed; boundary=b\n\n";

const hurtful: Readonly<Record<string, Write>> = {
  "line feeds": fill("Subject: x\n\n", "\n"),
  "line feeds of HTML": fill("Content-Type: text/html\n\n", "\n"),
  "carriage returns": fill("", "\r"),
  "nested mails": fill("", "Content-Type: message/rfc822\n\n"),
  "mails side by side": fill(mixed, "--b\nContent-Type: message/rfc822\n\nSubject: x\n\n"),
  "nested parts": (size) =>
    Array.from(
      { length: size / 60 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    ).join(""),
  "flowed blanks": fill(flowed, " \n"),
  "one flowed line": fill(flowed, " "),
  "flowed words": fill(flowed, "a \n"),
  "flowed quotes": fill(flowed, "> \n"),
  "empty parts": fill(mixed, "--b\n"),
  "parts of nothing": fill(mixed, "--b\n\n"),
  headers: fill("", "a:b\n"),
  "folded headers": fill("Subject: a\n", " b\n"),
  recipients: fill("To: ", "a,"),
  "quotes in recipients": fill("To: ", '"'),
  groups: fill("To: ", "a:"),
  "encoded words": fill("Subject: ", "=?utf-8?Q?a?= "),
  "half encoded words": fill("Subject: =?utf-8?Q?", "="),
  parameters: fill("Content-Type: text/plain; ", "a=b;"),
  "blanks in a type": fill("Content-Type: text/plain;", " "),
  "soft line ends": fill("Content-Transfer-Encoding: quoted-printable\n\n", "=\n"),
  "quoted blanks": fill("Content-Transfer-Encoding: quoted-printable\n\n", " "),
  "short base64": fill("Content-Transfer-Encoding: base64\n\n", "A\n"),
  "HTML styles": fill("Content-Type: text/html\n\n", '<i style="display:x">'),
};

describe("the work of parsing grows with the mail:", () => {
  for (const [name, write] of Object.entries(hurtful))
    it(name, () =>
      assertLinearAsync(name, 30_000, async (size) => {
        const mail = await readMime(Buffer.from(write(size)));
        assert.equal(typeof mail.text, "string");
      }),
    );
});

const mail = Buffer.from("From: Ann <ann@mail.test>\nSubject: Lunch\n\nNoon?");

/** A thread that runs this for each request, with its `kind` and `post` for the answer. */
const threadOf = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from "node:worker_threads";
       parentPort.on("message", ({ kind }) => { const post = (answer) => parentPort.postMessage(answer); ${code} });
       parentPort.postMessage("ready");`,
    )}`,
  );

function openReader(t: TestContext, options: ReaderOptions = {}): MailReader {
  const reader = createMailReader(options);
  t.after(() => reader.close());
  return reader;
}

const headersOnly = JSON.stringify({ ...nothingRead, subject: "Lunch" });

describe("a mail reader", () => {
  it("reads in its thread what the parser reads", async (t) => {
    const reader = openReader(t);
    assert.deepEqual(await reader.mime(mail), await readMime(mail));
    assert.equal(await reader.html("<p>a<i hidden>b</i>"), "a");
  });

  it("leaves this thread free while a slow mail is parsed", async (t) => {
    const reader = openReader(t);
    await reader.mime(mail);
    const slow = Buffer.from(fill("Subject: x\n\n", "\n")(300_000));
    const [ours, all] = [process.threadCpuUsage(), process.cpuUsage()];
    await reader.mime(slow);
    assert.ok(process.threadCpuUsage(ours).user < process.cpuUsage(all).user / 2);
  });

  it("reads only the headers of a mail that takes too long, and then the next mail", async (t) => {
    const entry = threadOf(`if (kind === "mime") for (;;); post(${headersOnly});`);
    const reader = openReader(t, { limitMs: 500, entry });
    const slow = reader.mime(mail);
    const next = reader.html("<b>");
    assert.deepEqual(await slow, { ...nothingRead, subject: "Lunch", text: unreadText });
    assert.deepEqual(await next, JSON.parse(headersOnly));
  });

  it("reads only the headers of a mail that takes too much memory", async (t) => {
    const entry = threadOf(
      `if (kind === "mime") for (const all = []; ;) all.push(Array(1e5).fill(kind)); post(${headersOnly});`,
    );
    assert.deepEqual(await openReader(t, { entry }).mime(mail), {
      ...nothingRead,
      subject: "Lunch",
      text: unreadText,
    });
  });

  it("tells of a mail of which nothing can be read", async (t) => {
    for (const code of ["for (;;);", "process.exit();", "throw new Error();"]) {
      const reader = openReader(t, { limitMs: 500, entry: threadOf(code) });
      assert.deepEqual(await reader.mime(mail), { ...nothingRead, text: unreadText });
      assert.equal(await reader.html("<b>"), unreadText);
    }
  });

  it("starts a thread again after it ended for want of work", async (t) => {
    const reader = openReader(t, { idleMs: 0 });
    for (let round = 0; round < 3; round++) {
      assert.equal((await reader.mime(mail)).subject, "Lunch");
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it("takes no mail for unreadable that is being read when it closes", async (t) => {
    const reader = openReader(t, { entry: threadOf("for (;;);") });
    const read = [reader.mime(mail), reader.html("<b>")];
    await reader.close();
    for (const { status } of await Promise.allSettled(read)) assert.equal(status, "rejected");
    await assert.rejects(reader.mime(mail), MailFault);
  });
});

describe("the structure of a mail is bounded:", () => {
  it("lines beyond 50,000 are cut, and the text says so", async () => {
    const { text, subject } = await readMime(Buffer.from(`Subject: x\n\n${"a\n".repeat(60_000)}`));
    assert.equal(subject, "x");
    assert.match(text, /^a\n[^]*a\n\n… \(cut: the mail has more than 50000 lines\)$/);
  });

  it("forwarded mails beyond 10 are attachments", async () => {
    const forwarded = (count: number) =>
      mixed + "--b\nContent-Type: message/rfc822\n\nSubject: in\n\ninner\n".repeat(count) + "--b--";
    assert.equal((await readMime(Buffer.from(forwarded(10)))).text.split("inner").length, 11);
    const many = await readMime(Buffer.from(forwarded(11)));
    assert.deepEqual([many.text, many.attachments.length], ["", 11]);
  });

  it("parts nested deeper than 50 are not read", async () => {
    const { text, subject } = await readMime(Buffer.from(`Subject: x\n${hurtful["nested parts"]?.(10_000)}`));
    assert.deepEqual([text, subject], [unreadText, "x"]);
  });
});

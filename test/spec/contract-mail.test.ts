// Any mailbox over IMAP: each new mail is one run of the hook gmail, and nothing in the mailbox changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { createFakeImap, fakeMailbox, fakePassword } from "../fakes/imap.ts";
import { startTestGateway } from "../support/gateway.ts";

const mail = (subject: string, body: string) =>
  Buffer.from(
    [
      "From: Ada <ada@example.org>",
      "To: me@example.org",
      `Subject: ${subject}`,
      `Message-ID: <${subject.replaceAll(" ", "-")}@example.org>`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      body,
      "",
    ].join("\r\n"),
  );

test("new mail in an IMAP mailbox becomes runs, one each, over a restart too", async (t) => {
  const imap = await createFakeImap();
  t.after(() => imap.stop());
  imap.add({ raw: mail("Before", "It was there already.") });
  const account = {
    id: "home",
    host: "127.0.0.1",
    port: imap.port,
    secure: false,
    allowInsecure: true,
    user: "me",
    password: fakePassword,
    mailbox: fakeMailbox,
    pollSeconds: 5,
  };
  const gateway = await startTestGateway(t, { hooks: { presets: ["gmail"], mail: [account] } });
  const runsAre = (count: number) =>
    gateway.waitFor(`${count} runs`, async () => (await gateway.runs()).length >= count && gateway.runs());
  await gateway.waitFor("a look", async () => imap.commands.some((each) => /^IDLE/i.test(each)));
  await gateway.waitFor("the baseline", async () =>
    (await gateway.inspect.listMailAccounts()).some(({ cursor }) => cursor),
  );

  imap.add({ raw: mail("First", "Please look at this.") });
  const [first] = await runsAre(1);
  const text = plainText(first!.request.message);
  assert.equal(first!.hook, "gmail");
  assert.match(text, /From: .*ada@example\.org/);
  assert.match(text, /Subject: First[^]*Please look at this\./);

  await gateway.restart();
  imap.add({ raw: mail("Second", "And at this.") });
  const runs = await runsAre(2);
  assert.equal(runs.length, 2, "what was there before is never looked at, and nothing comes twice");
  assert.ok(imap.messages.every(({ flags }) => flags.length === 0));
});

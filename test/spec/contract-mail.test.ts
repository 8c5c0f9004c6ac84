// Any mailbox over IMAP: each new mail is one run of the hook gmail, and nothing in the mailbox changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { createFakeImap, fakeAccount, fakeMail } from "../fakes/imap.ts";
import { startTestGateway } from "../support/gateway.ts";

test("new mail in an IMAP mailbox becomes runs, one each, over a restart too", async (t) => {
  const imap = await createFakeImap();
  t.after(() => imap.stop());
  imap.add({ raw: fakeMail("Before", "It was there already.") });
  const gateway = await startTestGateway(t, { hooks: { presets: ["gmail"], mail: [fakeAccount(imap)] } });
  const runsAre = (count: number) =>
    gateway.waitFor(`${count} runs`, async () => (await gateway.runs()).length >= count && gateway.runs());
  await gateway.waitFor("a sync", async () => imap.commands.some((each) => /^IDLE/i.test(each)));
  await gateway.waitFor("the baseline", async () =>
    (await gateway.inspect.listMailAccounts()).some(({ cursor }) => cursor),
  );

  imap.add({ raw: fakeMail("First", "Please look at this.") });
  const [first] = await runsAre(1);
  const text = plainText(first!.request.message);
  assert.equal(first!.hook, "gmail");
  assert.match(text, /From: .*ada@example\.org/);
  assert.match(text, /Subject: First[^]*Please look at this\./);

  await gateway.restart();
  imap.add({ raw: fakeMail("Second", "And at this.") });
  const runs = await runsAre(2);
  assert.equal(runs.length, 2, "earlier mail is never read, and no mail is taken in twice");
  assert.ok(imap.messages.every(({ flags }) => flags.length === 0));
});

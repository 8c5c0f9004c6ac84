// A mail server that sends without end.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { neverAborted, openMailbox } from "../../../test/fixtures/imap-server.ts";
import { type Attack, endlessly, startOutsider } from "../../../test/fixtures/outsider.ts";
import { MailFault } from "../mailbox.ts";
import { withinLimits } from "./limits.ts";

const filler = "x".repeat(10_000);
const sending = (head: string, piece: string): Attack => endlessly(head, piece, 1_000_000_000);

const endless: readonly (readonly [string, Attack, RegExp])[] = [
  ["a line", sending("* ", filler), /^the server sent a line of more than 33554432 bytes$/],
  [
    "a literal",
    sending("* 1 FETCH (BODY[] {33554433}\r\n", filler),
    /^the server sent a literal of more than 33554432 bytes$/,
  ],
  [
    "a response of many literals",
    sending("* 1 FETCH (", `X {10000}\r\n${filler} `),
    /^the server sent a response of more than 67108864 bytes$/,
  ],
  [
    "responses that nobody asked for",
    sending("", `* OK ${filler.repeat(100)}\r\n`),
    /^the server sent more than 268435456 bytes$/,
  ],
];

suite("a mail server that sends without end is cut off", () => {
  for (const [what, attack, reason] of endless)
    test(what, { timeout: 60_000 }, async (t) => {
      const greeting = "* OK [CAPABILITY IMAP4rev1] ready\r\n";
      const { port, closed, sentBytes } = await startOutsider(t, attack, { greeting });
      const mailbox = openMailbox(t, {
        id: "far",
        host: "127.0.0.1",
        port,
        encryption: "none",
        user: "me",
        login: { password: "secret" },
        mailbox: "INBOX",
        pollSeconds: 60,
        includeBody: true,
        maxBytes: 20_000,
        catchUp: { maxAgeMs: 1000, maxMessages: 5 },
      });
      const fault: unknown = await mailbox.baseline(neverAborted).catch((cause: unknown) => cause);
      assert.ok(fault instanceof MailFault && fault.kind === "retry");
      assert.match(fault.message, reason);
      await closed();
      assert.ok(sentBytes() < 900_000_000);
    });
});

test("a mail server that sends a byte now and then is given up after ten minutes", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  let received = 0;
  const client = { stats: () => ({ sent: 0, received: received++ }) };
  const endless = withinLimits(client, new Promise(() => {}));
  t.mock.timers.tick(600_000);
  await assert.rejects(endless, new MailFault("retry", "the server took longer than 10 minutes"));
  assert.equal(await withinLimits(client, Promise.resolve("done")), "done");
});

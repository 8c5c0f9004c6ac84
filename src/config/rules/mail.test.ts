import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, gatewayToken, hookToken, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";

const account = { id: "support", host: "imap.test", user: "me@mail.test", password: "secret" };
const withMail = (mail: object[], hooks: object = { presets: ["gmail"] }) => ({
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken, ...hooks, mail },
});

test("an account needs few settings; the rest has defaults", () => {
  assert.deepEqual(configOf(withMail([account])).hooks.mail, [
    {
      id: "support",
      host: "imap.test",
      port: 993,
      encryption: "tls",
      user: "me@mail.test",
      login: { password: "secret" },
      mailbox: "INBOX",
      pollSeconds: 60,
      includeBody: true,
      maxBytes: 20_000,
      catchUp: { maxAgeMs: 604_800_000, maxMessages: 500 },
    },
  ]);
  assert.deepEqual(warningsOf(withMail([account])), []);
  assert.deepEqual(configOf({}).hooks.mail, []);
});

test("without TLS from the first byte, the server must upgrade; plain text is for this machine", () => {
  const [mail] = configOf(withMail([{ ...account, secure: false }])).hooks.mail;
  assert.deepEqual([mail?.encryption, mail?.port], ["starttls", 143]);
  const plain = { ...account, secure: false, allowInsecure: true };
  const [local] = configOf(withMail([{ ...plain, host: "127.0.0.1", port: 1143 }])).hooks.mail;
  assert.deepEqual([local?.encryption, local?.port], ["none", 1143]);
  assert.match(
    problemsOf(withMail([plain])).join(),
    /hooks\.mail\[0\]\.allowInsecure: is only for a server on this/,
  );
  assert.match(
    problemsOf(withMail([{ ...plain, secure: true }])).join(),
    /has no meaning while secure is true/,
  );
});

test("exactly one of password and access token, in the config or in a file", () => {
  const { password: _, ...withoutPassword } = account;
  assert.deepEqual(problemsOf(withMail([withoutPassword])), [
    "hooks.mail[0]: needs a password or an accessToken",
  ]);
  assert.deepEqual(problemsOf(withMail([{ ...account, accessToken: "t" }])), [
    "hooks.mail[0].accessToken: must not stand beside a password: keep one of them",
  ]);
  const files = { "/home/rouse/token": "ya29.token\n" };
  const written = withMail([{ ...withoutPassword, accessToken: { file: "token" } }]);
  assert.deepEqual(configOf(written, { files }).hooks.mail[0]?.login, { accessToken: "ya29.token" });
  assert.match(problemsOf(written).join(), /hooks\.mail\[0\]\.accessToken: there is no file of this name/);
});

test("ids are names, and unique", () => {
  const ids = (...written: string[]) => problemsOf(withMail(written.map((id) => ({ ...account, id }))));
  assert.deepEqual(ids("a", "b"), []);
  assert.deepEqual(ids("Support", "support"), [
    "hooks.mail[1].id: is the id of another account: each needs its own",
  ]);
  for (const id of ["", "a b", "me@mail.test", "-a", "x".repeat(41)]) assert.equal(ids(id).length, 1, id);
});

test("mail that no mapping takes is a warning", () => {
  assert.match(warningsOf(withMail([account], {})).join(), /hooks\.mail: no mapping takes this mail/);
  const own = (path: string) => ({ mappings: [{ match: { path }, messageTemplate: "x" }] });
  assert.deepEqual(warningsOf(withMail([account], own("gmail"))), []);
  assert.match(warningsOf(withMail([account], own("other"))).join(), /no mapping takes this mail/);
});

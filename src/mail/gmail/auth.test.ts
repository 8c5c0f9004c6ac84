import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { faultReplies } from "../../../test/fakes/google.ts";
import { MailFault } from "../mailbox.ts";
import { createAuth, gmailScope } from "./auth.ts";
import { type Surroundings, surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import { rsaKey } from "../../../test/support/rsa.ts";

const authOf = ({ config, clock }: Surroundings, subject: string | null = config.account) =>
  createAuth({
    credentialsFile: config.credentialsFile,
    subject,
    scope: gmailScope,
    endpoint: config.endpoints.oauth,
    clock,
  });

const faultWith = (kind: MailFault["kind"], message: RegExp) => (fault: unknown) =>
  fault instanceof MailFault && fault.kind === kind && message.test(fault.message);

suite("access tokens", { concurrency: true }, () => {
  test("one is kept until shortly before its end, and callers that wait for it share one request", async (t) => {
    const scene = await surroundings(t);
    const auth = authOf(scene);
    const tokens = await Promise.all(Array.from({ length: 8 }, () => auth.token(scene.signal)));
    assert.equal(new Set(tokens).size, 1);
    assert.equal(scene.google.accounts.owner({ token: tokens[0]! }), scene.google.account);
    await scene.clock.advance(3_539_000);
    assert.equal(await auth.token(scene.signal), tokens[0]);
    await scene.clock.advance(1000);
    assert.notEqual(await auth.token(scene.signal), tokens[0]);
    assert.equal(scene.google.accounts.state.issued, 2);
  });

  test("a refused token is not used again", async (t) => {
    const scene = await surroundings(t);
    const auth = authOf(scene);
    const first = await auth.token(scene.signal);
    auth.drop("another");
    assert.equal(await auth.token(scene.signal), first);
    auth.drop(first);
    assert.notEqual(await auth.token(scene.signal), first);
  });

  test("a service account asks in a person's name, or in its own", async (t) => {
    const scene = await surroundings(t);
    scene.logIn(scene.google.accounts.serviceAccount);
    const owner = async (subject: string | null) =>
      scene.google.accounts.owner({ token: await authOf(scene, subject).token(scene.signal) });
    assert.equal(await owner(scene.google.account), scene.google.account);
    assert.equal(await owner(null), scene.google.accounts.serviceAccount.client_email);
    scene.google.accounts.state.delegated = false;
    await assert.rejects(owner(scene.google.account), faultWith("reauth", /unauthorized_client/));
    const stranger = rsaKey("stranger").privateKey;
    const private_key = stranger.export({ type: "pkcs8", format: "pem" });
    scene.logIn({ ...scene.google.accounts.serviceAccount, private_key });
    await assert.rejects(owner(null), faultWith("reauth", /invalid_grant/));
  });

  test("an ended login is a reauth fault without its secrets", async (t) => {
    const scene = await surroundings(t);
    const auth = authOf(scene);
    scene.google.accounts.state.revoked = true;
    const fault: unknown = await auth.token(scene.signal).catch((cause: unknown) => cause);
    assert.ok(fault instanceof MailFault);
    assert.deepEqual(
      [fault.kind, fault.message],
      ["reauth", "Google no longer takes the login (invalid_grant)"],
    );
    const shown = `${String(fault)} ${fault.stack ?? ""} ${JSON.stringify(fault)}`;
    const { refresh_token, client_secret } = scene.google.accounts.login;
    for (const secret of [refresh_token, client_secret]) assert.ok(!shown.includes(secret));
    scene.google.accounts.state.revoked = false;
    assert.ok(await auth.token(scene.signal));
  });

  test("a missing or empty credentials file is a reauth fault", async (t) => {
    const scene = await surroundings(t);
    const faults: [() => void, RegExp][] = [
      [() => rmSync(scene.config.credentialsFile), /cannot be read \(ENOENT\)/],
      [() => writeFileSync(scene.config.credentialsFile, "{"), /cannot be read \(it is not JSON\)/],
      [() => scene.logIn({}), /has no login in it/],
      [() => scene.logIn({ type: "authorized_user", client_id: "x" }), /has no login in it/],
      [
        () => scene.logIn({ type: "service_account", private_key: "-" }),
        /private key in it that cannot be used/,
      ],
    ];
    for (const [spoil, message] of faults) {
      spoil();
      await assert.rejects(authOf(scene).token(scene.signal), faultWith("reauth", message));
    }
  });

  test("an unreachable token server is a retry fault", async (t) => {
    const scene = await surroundings(t);
    const auth = authOf(scene);
    scene.google.faults.add({ on: "/token", times: 1, reply: faultReplies.unavailable });
    await assert.rejects(auth.token(scene.signal), faultWith("retry", /gave no access token \(503\)/));
    scene.google.faults.add({ on: "/token", times: 1, reset: true });
    await assert.rejects(auth.token(scene.signal), faultWith("retry", /could not be reached/));
    assert.ok(await auth.token(scene.signal));
  });

  test("a stopped caller gets the signal's reason", async (t) => {
    const scene = await surroundings(t);
    await assert.rejects(authOf(scene).token(AbortSignal.abort(new Error("enough"))), /enough/);
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createFakeClock, settled } from "../../../test/fakes/clock.ts";
import { faultReplies, refused } from "../../../test/fakes/google.ts";
import { MailFault } from "../mailbox.ts";
import { createAuth, gmailScope } from "./auth.ts";
import { createCaller } from "./call.ts";
import { type Surroundings, surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import { createPace } from "./pace.ts";

function callerOf({ config, clock }: Surroundings) {
  const { credentialsFile, endpoints } = config;
  const auth = createAuth({
    credentialsFile,
    subject: null,
    scope: gmailScope,
    endpoint: endpoints.oauth,
    clock,
  });
  return createCaller({ auth, clock });
}

suite("calls", { concurrency: true }, () => {
  test("a refused token is replaced once; then it is a reauth fault", async (t) => {
    const scene = await surroundings(t);
    const call = callerOf(scene);
    const profile = { url: `${scene.google.url}/gmail/v1/users/me/profile` };
    assert.equal((await call(profile, scene.signal))?.["emailAddress"], scene.google.account);
    scene.google.accounts.endTokens();
    assert.ok(await call(profile, scene.signal));
    assert.equal(scene.google.accounts.state.issued, 2);
    scene.google.faults.add({ on: "profile", times: 2, reply: faultReplies.unauthorized });
    await assert.rejects(call(profile, scene.signal), { kind: "reauth" });
  });

  test("each refusal says whether it may pass, and when", async (t) => {
    const scene = await surroundings(t);
    const call = callerOf(scene);
    const cases: [reply: ReturnType<typeof refused>, kind: MailFault["kind"], afterMs: number | null][] = [
      [faultReplies.rateLimit, "retry", null],
      [refused(403, "userRateLimitExceeded"), "retry", null],
      [faultReplies.tooMany, "retry", 1000],
      [faultReplies.unavailable, "retry", null],
      [{ ...faultReplies.unavailable, headers: { "retry-after": "120" } }, "retry", 120_000],
      [faultReplies.scopes, "reauth", null],
      [refused(403, "accessNotConfigured"), "broken", null],
      [refused(400, "failedPrecondition"), "broken", null],
    ];
    for (const [reply, kind, afterMs] of cases) {
      scene.google.faults.add({ on: "profile", times: 1, reply });
      const fault: unknown = await call(
        { url: `${scene.google.url}/gmail/v1/users/me/profile` },
        scene.signal,
      ).catch((cause: unknown) => cause);
      assert.ok(fault instanceof MailFault);
      assert.deepEqual([fault.kind, fault.retryAfterMs], [kind, afterMs], fault.message);
    }
    assert.equal(
      await call({ url: `${scene.google.url}/gmail/v1/users/me/messages/none` }, scene.signal),
      null,
    );
  });
});

suite("the pace", { concurrency: true }, () => {
  const never = new AbortController().signal;

  test("calls stay within the quota of a second and of a minute", async () => {
    const clock = createFakeClock();
    const pace = createPace(clock);
    const startedAt = clock.now();
    const taken: number[] = [];
    for (let at = 0; at < 700; at++) void pace(20, never).then(() => taken.push(clock.now() - startedAt));
    await settled();
    assert.equal(taken.length, 6);
    await clock.advance(600_000);
    assert.equal(taken.length, 700);
    const within = (from: number, ms: number) =>
      taken.filter((at) => at >= from && at < from + ms).length * 20;
    for (const from of taken) {
      assert.ok(within(from, 1000) <= 250, `${within(from, 1000)} in the second from ${from}`);
      assert.ok(within(from, 60_000) <= 6000, `${within(from, 60_000)} in the minute from ${from}`);
    }
    assert.ok(taken.at(-1)! < 180_000, `the last came after ${taken.at(-1)} ms`);
  });

  test("a stopped caller gets the signal's reason", async () => {
    const clock = createFakeClock();
    const pace = createPace(clock, { perSecond: 10, perMinute: 600 });
    const stopping = new AbortController();
    const waiting = pace(100, stopping.signal);
    stopping.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    assert.equal(clock.waiting(), 0);
    await assert.rejects(pace(1, stopping.signal), /enough/);
  });
});

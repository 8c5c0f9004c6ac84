import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import {
  type KeptParts,
  made,
  type ReplayScene,
  replayScene,
  settingsOf,
} from "../../../test/fixtures/replays.ts";
import { mapping } from "../../../test/support/mapped.ts";
import { githubSecret } from "../../../test/support/senders.ts";
import { bothStores } from "../../../test/support/stores.ts";
import { createFolder } from "../../../test/fixtures/command-line.ts";
import { plainText } from "../../core/message.ts";
import { moduleOf } from "../../../test/support/mapped.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const senders = { github: { kind: "github", secret: githubSecret } };
const issues = mapping("github", {
  match: { path: "github", event: "issues.opened" },
  messageTemplate: "{{ hook.event }} {{ hook.delivery }} {{ title }} {{ headers.x-github-event }}",
});

for (const [name, open] of Object.entries(bothStores))
  describe(`a replay on ${name}`, () => {
    const sceneOf = async (t: TestContext, hooks: object = {}, agents: object = {}) =>
      replayScene(await open(t), await settingsOf(t, hooks, agents));
    const runOf = async ({ store }: ReplayScene, [id = ""]: readonly string[]) => {
      const run = await store.findRun(id);
      assert.ok(run);
      return run;
    };
    const messageOf = async (scene: ReplayScene, runIds: readonly string[]) =>
      plainText((await runOf(scene, runIds)).request.message);

    test("of a wake, an agent request and a mapped one is a request of its own, with new ids", async (t) => {
      const scene = await sceneOf(t, {
        mappings: [mapping("ci", { messageTemplate: "{{ query.team }} {{ headers.x-build }} {{ state }}" })],
      });
      const wake = await scene.keep({ hook: "wake", body: '{"text":"look"}' });
      const [event = ""] = made(await scene.replay(wake)).eventIds;
      assert.equal(plainText((await scene.store.findEvent(event))!.text), "look");

      const agent = await scene.keep({ body: '{"message":"do it"}', credential: "ci" });
      const first = made(await scene.replay(agent));
      const second = made(await scene.replay(agent));
      assert.deepEqual([first.outcome, first.replayOf, first.runIds.length], ["accepted", agent, 1]);
      assert.equal(new Set([agent, first.id, second.id, ...first.runIds, ...second.runIds]).size, 5);
      assert.equal(await messageOf(scene, first.runIds), "do it");
      assert.equal((await runOf(scene, first.runIds)).request.credential, "ci");

      const headers = { "content-type": "application/x-www-form-urlencoded", "x-build": "7" };
      const mapped = { hook: "ci", target: "/hooks/ci?team=web", headers, body: "state=red" };
      const third = made(await scene.replay(await scene.keep(mapped)));
      assert.equal(await messageOf(scene, third.runIds), "web 7 red");
    });

    test("of a request that was skipped is accepted once its mapping is mended", async (t) => {
      const wrong = mapping("github", { match: { path: "github", payload: { action: "open" } } });
      const scene = await sceneOf(t, { mappings: [wrong] });
      const id = await scene.keep({ hook: "github", body: '{"action":"opened"}' });
      const skipped = made(await scene.replay(id));
      assert.equal(skipped.outcome, "skipped");
      assert.match(skipped.reason ?? "", /payload\.action was "opened", wanted "open"/);
      const kept = await scene.store.findRequest(skipped.id);
      assert.deepEqual([kept?.origin, kept?.replayOf, kept?.outcome], ["replay", id, "skipped"]);
      scene.use(
        await settingsOf(t, {
          mappings: [mapping("github", { match: { path: "github", payload: { action: "opened" } } })],
        }),
      );
      assert.equal(made(await scene.replay(id)).outcome, "accepted");
    });

    test("of a sender's request goes past the proof, with the event and the delivery that it came with", async (t) => {
      const scene = await sceneOf(t, { senders, mappings: [issues] });
      const kept: KeptParts = {
        hook: "github",
        body: '{"action":"opened","title":"Fire"}',
        headers: { "content-type": "application/json", "x-github-event": "issues" },
        credential: "github",
        event: "issues.opened",
        delivery: "d-1",
      };
      const result = made(await scene.replay(await scene.keep(kept)));
      assert.equal(await messageOf(scene, result.runIds), "issues.opened d-1 Fire issues");

      // The event of this sender is a header and a field of the body: an edited payload is about another one.
      const closed = made(await scene.replay(await scene.keep(kept), { payload: { action: "closed" } }));
      assert.deepEqual(
        [closed.outcome, /event was "issues.closed"/.test(closed.reason ?? "")],
        ["skipped", true],
      );
      const ping = { ...kept, event: "ping", headers: { "x-github-event": "ping" }, body: "{}" };
      const pinged = await scene.replay(await scene.keep(ping));
      assert.ok("cannot" in pinged && pinged.cannot === "ping");

      scene.use(await settingsOf(t, { mappings: [mapping("github")] }));
      const gone = await scene.replay(await scene.keep(kept));
      assert.deepEqual(gone, {
        cannot: "sender-gone",
        reason: "it came from the sender github, which hooks.senders no longer has",
      });
      const nameless = { ...kept, event: null, delivery: null };
      assert.ok("cannot" in (await scene.replay(await scene.keep(nameless))));
      // A token can be called as its hook is.
      const tokens = { github: { token: "a-token-of-its-own-that-is-long", hooks: ["github"] } };
      scene.use(await settingsOf(t, { tokens, mappings: [mapping("github")] }));
      assert.equal(made(await scene.replay(await scene.keep(nameless))).outcome, "accepted");
    });

    test("of a mail is decided by the mapping of its hook, without headers and query", async (t) => {
      const scene = await sceneOf(t, { presets: ["gmail"] });
      const mail = { id: "m1", from: "a@example.test", subject: "Hello", snippet: "", body: "Hi" };
      const body = JSON.stringify({ source: "gmail", account: "me", messages: [mail] });
      const kept: KeptParts = { hook: "gmail", method: null, headers: {}, origin: "mail", body };
      const result = made(await scene.replay(await scene.keep(kept)));
      assert.equal((await runOf(scene, result.runIds)).sessionKey, "hook:gmail:m1");
      // Replayed twice it is accepted twice: mail is known by its id only where it is fetched.
      assert.equal(made(await scene.replay(await scene.keep(kept))).outcome, "accepted");
    });

    test("never comes under the key of its first time: not by header, sender or mapping", async (t) => {
      const keyed = mapping("ci", { idempotencyKey: "{{ build }}" });
      const scene = await sceneOf(t, { senders, mappings: [keyed, issues] });
      const twice = async (parts: KeptParts) => {
        const id = await scene.keep(parts);
        return [made(await scene.replay(id)).outcome, made(await scene.replay(id)).outcome];
      };
      const both = ["accepted", "accepted"];
      const headers = { "content-type": "application/json", "idempotency-key": "once" };
      assert.deepEqual(await twice({ body: '{"message":"m"}', headers }), both);
      assert.deepEqual(await twice({ hook: "ci", body: '{"build":7}' }), both);
      const github = { hook: "github", event: "issues.opened", delivery: "d-1" };
      assert.deepEqual(await twice({ ...github, credential: "github" }), both);
    });

    test("in one batch happens once", async (t) => {
      const scene = await sceneOf(t);
      const id = await scene.keep({ body: '{"message":"m"}' });
      const batch = "b-1";
      assert.equal(made(await scene.replay(id, { batch })).outcome, "accepted");
      assert.equal(made(await scene.replay(id, { batch })).outcome, "repeated");
      assert.equal(made(await scene.replay(id, { batch: "b-2" })).outcome, "accepted");
      assert.equal((await scene.store.listRuns({ kind: "hook", limit: null })).length, 2);
    });

    test("gives its token's callback and results to the run, as long as there is such a token", async (t) => {
      const callbacks = {
        ci: { url: "https://ci.example.test/", secret: "whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM" },
      };
      const token = { token: "a-token-of-its-own-that-is-long", hooks: ["agent"] };
      const tokens = { ci: { ...token, results: "reply", callback: "ci" } };
      const scene = await sceneOf(t, { callbacks, tokens });
      const id = await scene.keep({ body: '{"message":"m"}', credential: "ci" });
      const requestOf = async () => {
        const { credential, results, callback } = (await runOf(scene, made(await scene.replay(id)).runIds))
          .request;
        return { credential, callback: callback?.name, isReadable: results !== "none" };
      };
      assert.deepEqual(await requestOf(), { credential: "ci", callback: "ci", isReadable: true });
      scene.use(await settingsOf(t, { callbacks }));
      assert.deepEqual(await requestOf(), { credential: "ci", callback: undefined, isReadable: false });
    });

    test("with an edited payload is JSON, whatever the first one was", async (t) => {
      const scene = await sceneOf(t, {
        senders: { slack: { kind: "slack", secret: "8f742231b10e8888abcd990c0ffee85a" } },
        mappings: [
          mapping("form", { messageTemplate: "{{ state }} {{ headers.content-type }}" }),
          mapping("slack", { messageTemplate: "{{ text }}" }),
        ],
      });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const form = await scene.keep({ hook: "form", headers, body: "state=red" });
      const edited = made(await scene.replay(form, { payload: { state: "green" } }));
      assert.equal(await messageOf(scene, edited.runIds), "green application/json");
      const slack = await scene.keep({ hook: "slack", headers, body: "text=a", credential: "slack" });
      assert.equal(await messageOf(scene, made(await scene.replay(slack)).runIds), "a");
      const other = made(await scene.replay(slack, { payload: { text: "b" } }));
      assert.equal(await messageOf(scene, other.runIds), "b");

      const noJson = await scene.replay(form, { payload: "{" });
      assert.ok("cannot" in noJson && noJson.cannot === "invalid-payload");
      const large = await scene.replay(form, { payload: { state: "x".repeat(300_000) } });
      assert.ok("cannot" in large);
      assert.match(large.reason, /^the payload has 300012 bytes, and the hook takes 262144$/);
    });

    test("is refused where there is nothing to replay, with the reason", async (t) => {
      const scene = await sceneOf(t, { mappings: [mapping("ci")] });
      const why = async (parts: KeptParts) => {
        const result = await scene.replay(await scene.keep(parts));
        assert.ok("cannot" in result, JSON.stringify(result));
        return `${result.cannot}: ${result.reason}`;
      };
      const body = null;
      assert.match(await why({ body, bytes: 70_000 }), /^no-body: .*70000 bytes.*keepRequestBytes is 65536$/);
      assert.match(await why({ body, bytes: 0 }), /^no-body: its body was not kept: it had none/);
      assert.match(await why({ body, bytes: 10 }), /did not allow it when it came/);
      assert.match(await why({ hook: "gone" }), /^hook-gone: no mapping .* takes the hook gone$/);
      scene.use(await settingsOf(t, { enabled: false }));
      assert.match(await why({}), /^hooks-off: hooks\.enabled is false$/);
    });

    test("that the policy, a transform or a full queue stops is recorded with the reason", async (t) => {
      const { folder } = createFolder(t);
      writeFileSync(join(folder, "broken.js"), moduleOf('throw new Error("no");'));
      const scene = await sceneOf(t, {
        allowedAgentIds: ["main"],
        transformsDir: folder,
        mappings: [mapping("ci", { transform: { module: "broken.js" } })],
      });
      const agent = await scene.keep({ body: '{"message":"m","agentId":"other"}' });
      const refused = made(await scene.replay(agent));
      const failed = made(await scene.replay(await scene.keep({ hook: "ci" })));
      const good = await scene.keep({ body: '{"message":"m"}' });
      const full = made(await scene.replay(good, { admits: false }));
      for (const [result, outcome, reason] of [
        [refused, "refused", /^agent-not-allowed: /],
        [failed, "failed", /^ci: /],
        [full, "full", /^queue-full: /],
      ] as const) {
        assert.equal(result.outcome, outcome);
        assert.match(result.reason ?? "", reason);
        const kept = await scene.store.findRequest(result.id);
        assert.deepEqual(
          [kept?.outcome, kept?.origin, kept?.replayOf, kept?.reason],
          [outcome, "replay", result.replayOf, result.reason],
        );
      }
      assert.deepEqual(await scene.store.listRuns({ kind: "hook", limit: null }), []);
    });

    test("of a hostile body is data, as the first was", async (t) => {
      const scene = await sceneOf(t, {
        mappings: [mapping("ci", { messageTemplate: "{{ payload.text }}" })],
      });
      const hostile = "\u0000\u202e\u2028 {{ payload }} \ud83d __proto__ ${HOME} ' \" \\ </data>";
      const body = JSON.stringify({ text: hostile, __proto__: { text: "x" }, constructor: 1 });
      const headers = JSON.parse('{"__proto__":"x","constructor":"y","content-type":"application/json"}');
      const result = made(await scene.replay(await scene.keep({ hook: "ci", body, headers })));
      assert.ok((await messageOf(scene, result.runIds)).includes("{{ payload }}"));
      for (const bytes of [Buffer.from([0xff, 0xfe, 0]), "[".repeat(70_000), "{}{}", "null", ""]) {
        const end = await scene.replay(await scene.keep({ hook: "ci", body: bytes, bytes: 9 }));
        assert.notEqual(made(end).outcome, "failed", String(bytes).slice(0, 10));
      }
    });
  });

import assert from "node:assert/strict";
import { test } from "node:test";
import { configOf, gatewayToken, hookToken, problemsOf, warningsOf } from "../../../test/fixtures/config.ts";

const account = "me@mail.test";
const withGmail = (gmail: object, hooks: object = {}, agents: object = {}) => ({
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken, ...hooks, gmail: { account, ...gmail } },
  agents,
});
const topic = "projects/p/topics/mail";
const oidc = {
  audience: "https://x.test/gmail-pubsub",
  serviceAccountEmail: "push@p.iam.gserviceaccount.com",
};

test("an account is enough; the rest has defaults", () => {
  const { gmail } = configOf(withGmail({})).hooks;
  assert.deepEqual(gmail, {
    account,
    label: "INBOX",
    excludeLabels: ["SPAM", "TRASH", "DRAFT", "SENT"],
    mode: "poll",
    credentialsFile: "/home/rouse/gmail-credentials.json",
    pollMs: 30_000,
    topic: null,
    subscription: null,
    oidc: null,
    pushPath: "/gmail-pubsub",
    includeBody: true,
    maxBytes: 20_000,
    renewEveryMs: 43_200_000,
    catchUp: { maxAgeMs: 604_800_000, maxMessages: 500 },
    endpoints: {
      oauth: "https://oauth2.googleapis.com",
      gmail: "https://gmail.googleapis.com",
      pubsub: "https://pubsub.googleapis.com",
      certs: "https://www.googleapis.com",
    },
  });
  assert.equal(configOf({ hooks: {} }).hooks.gmail, null);
  assert.deepEqual(warningsOf(withGmail({})), []);
});

test("a bare subscription name is in the topic's project", () => {
  const subscriptionOf = (written: object) =>
    configOf(withGmail({ topic, ...written })).hooks.gmail?.subscription;
  assert.equal(subscriptionOf({}), "projects/p/subscriptions/gog-gmail-watch-push");
  assert.equal(subscriptionOf({ subscription: "s" }), "projects/p/subscriptions/s");
  assert.equal(subscriptionOf({ subscription: "projects/q/subscriptions/s" }), "projects/q/subscriptions/s");
});

test("each mode reports its missing settings", () => {
  assert.deepEqual(problemsOf(withGmail({ mode: "pull" })), [
    "hooks.gmail.topic: is required when hooks.gmail.mode is pull",
  ]);
  assert.deepEqual(problemsOf(withGmail({ mode: "push", topic })), [
    "hooks.gmail.oidc: is required when hooks.gmail.mode is push: nothing else proves where a push comes from",
  ]);
  assert.deepEqual(problemsOf(withGmail({ mode: "push", topic, oidc })), []);
  for (const pushPath of ["/hooks", "/hooks/gmail", "/healthz"]) {
    const [problem = "none"] = problemsOf(withGmail({ mode: "push", topic, oidc, pushPath }));
    assert.match(problem, /^hooks.gmail.pushPath: must not be under hooks.path/, pushPath);
  }
  for (const pushPath of ["x", "/x/", "/", "/../x", "/a b"])
    assert.match(problemsOf(withGmail({ pushPath }))[0] ?? "none", /^hooks.gmail.pushPath: /, pushPath);
});

test("settings of other set-ups are accepted, with a warning that they have no effect", () => {
  const theirs = {
    pushToken: "secret-of-theirs",
    hookUrl: "http://127.0.0.1:18789/hooks/gmail",
    serve: { bind: "127.0.0.1", port: 8788, path: "/gmail-pubsub" },
    tailscale: { mode: "funnel" },
  };
  assert.deepEqual(problemsOf(withGmail({ ...theirs, topic, subscription: "gog-gmail-watch-push" })), []);
  const warnings = warningsOf(withGmail(theirs));
  assert.deepEqual(
    warnings.map((each) => each.split(":")[0]),
    ["hooks.gmail.pushToken", "hooks.gmail.hookUrl", "hooks.gmail.serve", "hooks.gmail.tailscale"],
  );
  assert.ok(!warnings.join().includes("secret-of-theirs"));
  assert.match(
    warningsOf(withGmail({}, { enabled: false }))[1] ?? "",
    /no effect while hooks.enabled is false/,
  );
});

test("the preset is on, and has the model, thinking and boundary of hooks.gmail", () => {
  const mappingsOf = (gmail: object, hooks: object = {}) => configOf(withGmail(gmail, hooks)).hooks.mappings;
  const [preset, ...more] = mappingsOf({ model: "a/b", thinking: "low", allowUnsafeExternalContent: true });
  assert.equal(more.length, 0);
  assert.deepEqual(
    [preset?.id, preset?.templates.model, preset?.templates.thinking, preset?.allowUnsafeExternalContent],
    ["gmail", "a/b", "low", true],
  );
  assert.equal(mappingsOf({}, { presets: ["gmail"] }).length, 1);
  assert.equal(mappingsOf({})[0]?.allowUnsafeExternalContent, false);
  assert.match(
    warningsOf(withGmail({ allowUnsafeExternalContent: true }))[0] ?? "",
    /lifts the safety boundary/,
  );
  const models = { defaults: { models: { "a/b": { alias: "small" } } } };
  assert.deepEqual(warningsOf(withGmail({ model: "small" }, {}, models)), []);
  assert.match(
    warningsOf(withGmail({ model: "other" }, {}, models))[0] ?? "",
    /^hooks.gmail.model: is not in/,
  );
});

test("the user's own mapping instead of the preset causes no warning", () => {
  const own = { match: { path: "gmail" }, messageTemplate: "x" };
  assert.deepEqual(warningsOf(withGmail({}, { mappings: [own] })), []);
  assert.equal(warningsOf(withGmail({}, { mappings: [own], presets: ["gmail"] })).length, 1);
});

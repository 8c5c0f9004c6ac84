import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import { faultReplies } from "../../../test/fakes/google.ts";
import { createAuth, pubsubScope } from "./auth.ts";
import { createCaller } from "./call.ts";
import { subscription, surroundings, topic } from "../../../test/fixtures/gmail-mailbox.ts";
import { createPull } from "./pull.ts";

async function open(t: TestContext) {
  const scene = await surroundings(t);
  const { config, clock, google } = scene;
  const { credentialsFile, endpoints } = config;
  const auth = createAuth({
    credentialsFile,
    subject: null,
    scope: pubsubScope,
    endpoint: endpoints.oauth,
    clock,
  });
  const hints: string[] = [];
  const troubles: (string | null)[] = [];
  const pull = createPull({
    call: createCaller({ auth, clock }),
    endpoint: google.url,
    subscription,
    clock,
    onHint: ({ historyId }) => void hints.push(historyId),
    onProblem: (message) => void (troubles.at(-1) !== message && troubles.push(message)),
    random: () => 0.5,
  });
  t.after(() => pull.stop());
  const say = (historyId: string) =>
    google.pubsub.publish(topic, { emailAddress: google.account, historyId });
  /** Waits until there is a timer, and lets it come. */
  const wait = async (ms: number) => {
    await eventually(() => clock.waiting() > 0, "a timer");
    await clock.advance(ms);
  };
  return { ...scene, pull, hints, troubles, say, wait };
}

suite("pulling hints", { concurrency: true }, () => {
  test("each message is taken and then acknowledged, duplicates too", async (t) => {
    const { google, pull, hints, say } = await open(t);
    google.pubsub.state.hints = "doubled";
    say("101");
    say("102");
    pull.start();
    await eventually(() => hints.length === 4, "the hints");
    await eventually(() => google.count(":acknowledge") > 0, "the acknowledgement");
    await eventually(() => google.pubsub.subscriptions.get(subscription)?.given.size === 0, "nothing left");
    assert.deepEqual(new Set(hints), new Set(["101", "102"]));
    say("103");
    await eventually(() => hints.includes("103"), "the next hint");
  });

  test("foreign messages are acknowledged, too", async (t) => {
    const { google, pull, hints } = await open(t);
    google.pubsub.publish(topic, { hello: "world" });
    pull.start();
    await eventually(() => google.count(":acknowledge") > 0, "the acknowledgement");
    assert.deepEqual(hints, []);
  });

  test("a hint whose acknowledgement was lost comes again, which does no harm", async (t) => {
    const { google, pull, hints, say, wait } = await open(t);
    google.faults.add({ on: ":acknowledge", times: 1, reset: true });
    say("101");
    pull.start();
    await eventually(() => hints.length === 1, "the hint");
    google.pubsub.redeliver();
    await wait(60_000);
    await eventually(() => hints.length === 2, "the hint again");
  });

  test("a server without hints is pulled again after a pause", async (t) => {
    const { google, pull, wait } = await open(t);
    pull.start();
    await wait(0);
    assert.equal(google.count(":pull"), 1);
    await wait(1000);
    await eventually(() => google.count(":pull") === 2, "the next pull");
  });

  test("faults are reported, waited out, and reported as over", async (t) => {
    const { google, pull, hints, troubles, say, wait } = await open(t);
    google.faults.add({ on: ":pull", times: 1, reply: faultReplies.unavailable });
    google.faults.add({ on: ":pull", times: 1, reply: faultReplies.tooMany });
    say("101");
    pull.start();
    await eventually(() => troubles.length === 1, "the trouble");
    await wait(750);
    await eventually(() => troubles.length === 2, "the second trouble");
    await wait(1500);
    await eventually(() => hints.length === 1, "the hint");
    assert.deepEqual(troubles, [
      "hints cannot be pulled: Google could not handle the request (503 backendError)",
      "hints cannot be pulled: Google's rate limit was met (429 rateLimitExceeded)",
      null,
    ]);
  });

  test("a missing subscription is reported", async (t) => {
    const { google, pull, troubles } = await open(t);
    google.pubsub.subscriptions.clear();
    pull.start();
    await eventually(() => troubles.length === 1, "the trouble");
    assert.deepEqual(troubles, ["hints cannot be pulled: the subscription is not there (404)"]);
    await pull.stop();
  });
});

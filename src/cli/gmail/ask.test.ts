import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { PassThrough } from "node:stream";
import test, { type TestContext } from "node:test";
import { loadConfig } from "../../config/load.ts";
import { eventually } from "../../../test/fakes/clock.ts";
import { createLab, type Lab } from "../../../test/fixtures/gmail-account.ts";

const down = "\u001b[B";
const enter = "\r";

/** Types each answer once its question is on the screen. */
async function talk(lab: Lab, argv: readonly string[], answers: readonly [RegExp, string][]) {
  const input = new PassThrough();
  const ended = lab.setup(argv, { input, isInteractive: true });
  let isOver = false;
  const over = ended.catch(() => {}).finally(() => (isOver = true));
  for (const [question, answer] of answers) {
    await eventually(() => isOver || question.test(lab.printed()), String(question));
    assert.match(lab.printed(), question);
    input.write(answer);
  }
  await over;
  return ended;
}

const lab = (t: TestContext) => createLab(t);

test("a person is asked for missing settings, and sees the plan before it is applied", async (t) => {
  const home = await lab(t);
  const result = await talk(
    home,
    [],
    [
      [/Which mailbox/, `me@example${enter}`],
      [/How does Rouse log in/, enter],
      [/JSON file of the OAuth client/, `/nowhere${enter}`],
      [/no such file/, `${"\u007f".repeat(20)}${home.clientFile}${enter}`],
      [/How does Rouse learn of new mail/, down + enter],
      [/What will be done[^]*Go on/, enter],
    ],
  ).catch((fault: unknown) => fault);
  assert.ok(result instanceof Error, "that account is not the one the browser logs in with");
  assert.match(result.message, /is of me@example\.com, not of me@example/);

  const good = await talk(
    home,
    ["--account", "me@example.com", "--mode", "pull"],
    [
      [/How does Rouse log in[^]*How does Rouse log in/, enter],
      [/JSON file[^]*learn of[^]*JSON file/, `${home.clientFile}${enter}`],
      [/Go on[^]*Go on/, enter],
    ],
  );
  assert.equal(good.code, 0, good.stderr);
  const loaded = loadConfig(home.file, home.env);
  assert.ok(loaded.ok);
  assert.equal(loaded.config.hooks.gmail?.mode, "pull");
  home.assertNoSecrets();
});

test("saying no, or giving up, changes nothing", async (t) => {
  const home = await lab(t);
  const argv = ["--account", "me@example.com", "--mode", "push"];
  const until: [RegExp, string][] = [
    [/How does Rouse log in/, enter],
    [/JSON file/, `${home.clientFile}${enter}`],
    [/Where does Google reach/, `https://h.example.com/gmail-pubsub${enter}`],
    [/Which service account/, `push@fake-project.iam.gserviceaccount.com${enter}`],
  ];
  await assert.rejects(talk(home, argv, [...until, [/Go on/, `n`]]), /Nothing was changed/);
  await assert.rejects(
    talk(home, argv, [[/Go on[^]*How does Rouse log in/, "\u0003"]]),
    /Nothing was changed/,
  );
  assert.equal(home.printed().match(/Given up\./g)?.length, 2);
  assert.ok(!existsSync(home.file));
  assert.deepEqual(home.google.calls, []);
});

test("with every setting given nothing is asked, also on a terminal", async (t) => {
  const home = await lab(t);
  const { code, stderr } = await talk(home, ["--account", "me@example.com", "--client", home.clientFile], []);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(home.printed(), /Go on|How does Rouse learn/);
});

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createFakeClock, eventually } from "../../../test/fakes/clock.ts";
import {
  answering,
  createStoredHome,
  createTestContext,
  gatewayToken,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";
import { keepRequest, type KeptParts } from "../../../test/fixtures/replays.ts";
import { mapping } from "../../../test/support/mapped.ts";
import { systemClock } from "../../core/clock.ts";
import { plainText } from "../../core/message.ts";
import { dispatch } from "../dispatch.ts";
import { replayMatching } from "./replay-many.ts";

type Fields = Record<string, unknown>;

const config = (mappings: object[]) => ({
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken, mappings },
});
const red = mapping("ci", {
  match: { path: "ci", payload: { state: "red" } },
  messageTemplate: "{{ text }}",
});

async function homeWith(t: TestContext, mappings: object[] = [red]) {
  const home = await createStoredHome(t, undefined, config(mappings));
  const keep = (parts: KeptParts = {}) =>
    keepRequest(home.store, { hook: "ci", body: '{"state":"red","text":"t"}', ...parts });
  const messages = async () =>
    (await home.store.listRuns({ kind: "hook", limit: null })).map(({ request }) =>
      plainText(request.message),
    );
  const mend = (changed: object[]) => writeFileSync(home.file, JSON.stringify(config(changed)));
  return { ...home, keep, messages, mend };
}

test("one request is replayed by its id, with its body or with another payload", async (t) => {
  const { rouse, store, keep, messages, folder } = await homeWith(t);
  const id = await keep();
  const first = await rouse(["requests", "replay", id]);
  assert.equal(first.code, 0, first.stderr);
  const [, newId, runId] = /^Replayed as request (\S+): accepted, run (\S+)\n$/.exec(first.stdout) ?? [];
  assert.ok(newId !== id && (await store.findRun(runId ?? "")));

  writeFileSync(join(folder, "other.json"), '{"state":"red","text":"other"}');
  const file = ["--payload", "other.json", "--json"];
  const second = json(await rouse(["requests", "replay", id, ...file], { folder })) as Fields;
  const { id: _, runIds, ...rest } = second;
  assert.deepEqual(rest, { replayOf: id, outcome: "accepted", reason: null, eventIds: [] });
  assert.equal((runIds as string[]).length, 1);
  const input = { readInput: async () => '{"state":"green"}' };
  const skipped = await rouse(["requests", "replay", id, "--payload", "-"], input);
  assert.equal(skipped.code, 0);
  assert.match(
    skipped.stdout,
    /: skipped, no mapping took it: ci: payload\.state was "green", wanted "red"\n$/,
  );
  assert.deepEqual(await messages(), ["other", "t"]);
});

test("what cannot be replayed is said with the reason, and exits 1", async (t) => {
  const { rouse, keep, messages } = await homeWith(t);
  const said = async (parts: KeptParts) => {
    const { code, stdout, stderr } = await rouse(["requests", "replay", await keep(parts)]);
    assert.deepEqual([code, stdout], [1, ""]);
    return stderr;
  };
  assert.match(
    await said({ body: null, bytes: 70_000 }),
    /^Request \S+ cannot be replayed: its body was not kept: .*keepRequestBytes is 65536\.\n$/,
  );
  assert.match(await said({ hook: "gone" }), /no mapping of the configuration takes the hook gone/);
  assert.match(await said({ hook: "a\u001b[2Jb" }), /takes the hook a\[2Jb/);
  const unknown = await rouse(["requests", "replay", "nothing"]);
  assert.deepEqual([unknown.code, /There is no request with the id nothing/.test(unknown.stderr)], [1, true]);
  const refused = await rouse(["requests", "replay", await keep({ hook: "agent", body: "{}" })]);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /: refused, invalid-payload: message/);
  assert.deepEqual(await messages(), []);
});

const many = ["requests", "replay", "--hook", "ci", "--since", "1h"];

test("skipped yesterday, accepted after the mapping is mended: the plan, the replays, and once only", async (t) => {
  const { rouse, keep, messages, mend } = await homeWith(t);
  await keep({ body: '{"state":"failed","text":"one"}' });
  await keep({ body: '{"state":"failed","text":"two"}' });
  await keep({ hook: "agent", body: '{"message":"another hook"}' });
  const before = await rouse([...many, "--outcome", "skipped", "--dry-run"]);
  assert.match(before.stdout, /^2 requests from \S+ to \S+, oldest first:$/m);
  assert.match(before.stdout, /^ {2}outcomes: skipped 2, by the present configuration$/m);

  mend([
    mapping("ci", { match: { path: "ci", payload: { state: "failed" } }, messageTemplate: "{{ text }}" }),
  ]);
  const plan = await rouse([...many, "--outcome", "skipped", "--dry-run"]);
  assert.equal(plan.code, 0);
  assert.match(plan.stdout, /^ {2}hooks: {4}ci 2$/m);
  assert.match(
    plan.stdout,
    /^ {2}outcomes: accepted 2, by the present configuration\n {2}runs: {5}2, on main 2$/m,
  );
  assert.match(plan.stdout, /^ {2}cost: {5}unknown: these hooks have no ended runs$/m);
  assert.match(plan.stdout, /^ {2}time: {5}about 1 s, at 60 a minute\nNothing was replayed: --dry-run\.$/m);
  assert.deepEqual(await messages(), []);

  const done = await rouse([...many, "--outcome", "skipped", "--yes", "--per-minute", "60000"]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^2 requests replayed: accepted 2\.$/m);
  assert.deepEqual(await messages(), ["two", "one"]);
});

test("as JSON it is one object, with each request and what came of it", async (t) => {
  const { rouse, keep } = await homeWith(t);
  const id = await keep();
  const gone = await keep({ body: null, bytes: 0 });
  const plan = json(await rouse([...many, "--dry-run", "--json"])) as Fields;
  const { since: _, until: __, ...rest } = plan;
  assert.deepEqual(rest, {
    count: 1,
    replayedBefore: 0,
    cannot: { "its body was not kept: it had none, or it was refused before its body was read": 1 },
    hooks: { ci: 1 },
    outcomes: { accepted: 1 },
    agents: { main: 1 },
    runs: 1,
    undecided: 0,
    pastAgents: [],
    estimate: { inputTokens: 0, outputTokens: 0, cost: 0, basedOnRuns: 0 },
    perMinute: 60,
    seconds: 0,
  });
  const done = json(await rouse([...many, "--yes", "--json"])) as Fields;
  const [replayed, ...others] = done["replayed"] as Fields[];
  assert.deepEqual([replayed?.["replayOf"], replayed?.["outcome"], others], [id, "accepted", []]);
  assert.notEqual(replayed?.["replayOf"], gone);
  const nothing = await rouse(["requests", "replay", "--hook", "none", "--since", "1h", "--yes"]);
  assert.deepEqual(
    [nothing.code, /^No request from .* is left to replay\.$/m.test(nothing.stdout)],
    [0, true],
  );
});

test("Ctrl-C stops between two, and the line that it prints goes on without replaying one twice", async (t) => {
  const { env, rouse, keep, messages } = await homeWith(t);
  for (const text of ["one", "two", "three"]) await keep({ body: JSON.stringify({ state: "red", text }) });
  const clock = createFakeClock(Date.now());
  const argv = [...many, "--limit", "3", "--yes", "--per-minute", "6000"];
  const { context, written, signal, exits } = createTestContext(argv, { env, clock });
  const running = dispatch(context);
  await eventually(async () => (await messages()).length === 1 && clock.waiting() === 1);
  signal();
  assert.equal(await running, 1);
  assert.deepEqual([exits, clock.waiting()], [[], 0]);
  assert.match(written.stdout, /^1 request replayed: accepted 1\.$/m);
  const [, words = ""] = /^Stopped\. 2 requests left\. Go on with: rouse (.*)\n$/.exec(written.stderr) ?? [];
  assert.match(
    words,
    /^requests replay --hook ci --since \S+Z --until \S+Z --limit 2 --per-minute 6000 --batch \S+$/,
  );

  await keep({ body: '{"state":"red","text":"later"}' });
  const rest = await rouse([...words.split(" "), "--yes"], { clock: systemClock });
  assert.equal(rest.code, 0, rest.stderr);
  assert.deepEqual((await messages()).toReversed(), ["one", "two", "three"]);
});

for (const [answer, code] of [
  ["y", 0],
  ["n", 1],
] as const)
  test(`on a terminal a person is asked: ${answer} exits ${code}`, async (t) => {
    const { env, keep, messages } = await homeWith(t);
    await keep();
    const { terminal, shown } = answering(answer);
    const { context } = createTestContext(many.slice(2), { env });
    assert.equal(await replayMatching(context, terminal), code);
    assert.match(shown(), /Replay 1 request\?/);
    assert.equal((await messages()).length, code === 0 ? 1 : 0);
  });

test("wrong usage says what is missing, and changes nothing", async (t) => {
  const { rouse, keep, messages } = await homeWith(t);
  const id = await keep();
  for (const [argv, message] of [
    [[], /Which request\? Give its id, or --since/],
    [[id, "more"], /Unexpected argument "more"/],
    [["--hook", "ci"], /needs --since/],
    [["--since", "1h"], /Nobody can be asked here: say --yes/],
    [[id, "--since", "1h", "--yes"], /either an id, or --since/],
    [["--since", "soon", "--yes"], /--since must be a duration/],
    [["--since", "1h", "--until", "later", "--yes"], /--until must be a duration/],
    [["--since", "1h", "--until", "2h", "--yes"], /--since must be before --until/],
    [["--since", "1h", "--outcome", "lost", "--yes"], /--outcome must be one of accepted, /],
    [["--since", "1h", "--status", "lost", "--yes"], /--status must be one of queued, /],
    [["--since", "1h", "--per-minute", "0", "--yes"], /--per-minute must be/],
    [["--since", "1h", "--batch", "a b", "--yes"], /--batch must be/],
    [["--since", "1h", "--payload", "x", "--yes"], /no option --payload/],
  ] as const) {
    const { code, stderr } = await rouse(["requests", "replay", ...argv]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
  const missing = await rouse(["requests", "replay", id, "--payload", "/no/such/file"]);
  assert.deepEqual([missing.code, /cannot be read/.test(missing.stderr)], [1, true]);
  assert.deepEqual(await messages(), []);
});

test("compare lists what another config would decide otherwise", async (t) => {
  const { rouse, keep, messages, folder } = await homeWith(t);
  const id = await keep({ body: '{"state":"green","text":"t"}' });
  await keep();
  writeFileSync(
    join(folder, "new.jsonc"),
    JSON.stringify(config([mapping("ci", { sessionKey: "hook:{{ state }}" })])),
  );
  const told = await rouse(["requests", "compare", "new.jsonc", "--since", "7d"], { folder });
  assert.equal(told.code, 0, told.stderr);
  assert.match(told.stdout, new RegExp(`^${id} {2}\\S+Z {2}ci$`, "m"));
  assert.match(told.stdout, /^ {2}outcome: skipped \(no mapping took it: .*\) → accepted$/m);
  assert.match(told.stdout, /^ {2}sessionKeys: hook:… → hook:red$/m);
  assert.match(told.stdout, /^2 of 2 requests would be decided otherwise\.$/m);
  const resource = json(
    await rouse(["requests", "compare", "new.jsonc", "--since", "7d", "--json"], { folder }),
  ) as Fields & { differences: Fields[] };
  assert.deepEqual([resource["compared"], resource["different"]], [2, 2]);
  assert.deepEqual(resource.differences.map((each) => each["requestId"]).includes(id), true);
  const same = await rouse(["requests", "compare", "rouse.jsonc", "--since", "7d"], { folder });
  assert.match(same.stdout, /^0 of 2 requests would be decided otherwise\.$/m);
  assert.deepEqual(await messages(), []);

  writeFileSync(join(folder, "bad.jsonc"), '{ "hooks": { "enabled": "yes" } }');
  const bad = await rouse(["requests", "compare", "bad.jsonc", "--since", "7d"], { folder });
  assert.deepEqual([bad.code, /hooks\.enabled/.test(bad.stderr)], [1, true]);
  assert.equal((await rouse(["requests", "compare", "--since", "7d"])).code, 2);
  assert.equal((await rouse(["requests", "compare", "new.jsonc"], { folder })).code, 2);
});

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import test from "node:test";
import { eventually } from "../../../test/fakes/clock.ts";
import {
  createConfig,
  createFolder,
  createTestContext,
  hookToken,
  json,
} from "../../../test/fixtures/command-line.ts";
import { loadConfig } from "../../config/load.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import { prepareSenders } from "../../hooks/senders/prepare.ts";
import { runAdd } from "./add.ts";
import { keyFormOf, makeSecret } from "./secrets.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

const configIn = (file: string) => {
  const loaded = loadConfig(file, {});
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.config;
};

test("on a new machine, add makes the home, the secret, the sender and its mapping, and says what to paste where", async (t) => {
  const { folder, rouse } = createFolder(t);
  const { code, stdout, stderr } = await rouse(["senders", "add", "github"]);
  assert.equal(code, 0, stderr);
  const file = join(folder, "rouse.jsonc");
  const { hooks } = configIn(file);
  const [sender] = hooks.senders;
  const secret = sender?.secrets[0] ?? "";
  assert.match(secret, /^[\w-]{43}$/);
  assert.deepEqual(
    hooks.mappings.map(({ id, match }) => [id, match.path]),
    [["github-issue-opened", "github"]],
  );
  assert.equal(modeOf(join(folder, "secrets")), 0o700);
  assert.equal(modeOf(join(folder, "secrets", "github")), 0o600);
  assert.ok(!readFileSync(file, "utf8").includes(secret), "the config only names the file");
  assert.match(stdout, new RegExp(`Payload URL: https://YOUR-HOST/hooks/github\\. .*Secret: ${secret}`));
  assert.match(stdout, new RegExp(`^  Secret:  ${secret}$`, "m"));
  assert.match(stdout, /rouse expose github/);
  assert.match(
    stdout,
    /rouse send github --file \S+issue-opened\.json --headers \S+issue-opened\.txt --wait/,
  );
  assert.ok(!existsSync(`${file}.bak`));
  assert.equal((await rouse(["check"])).code, 0);
});

test("a config keeps its comments, and its former text in a backup", async (t) => {
  const text = `{
  // mine
  "gateway": { "auth": { "token": "gateway-token-that-is-long-enough" } },
  "hooks": {
    "enabled": true,
    "token": "${hookToken}", // from outside
    "mappings": [
      { "match": { "path": "build" }, "messageTemplate": "A build" }, // first
      { "messageTemplate": "{{ payload }}" }, /* takes all others */
    ],
  },
}
`;
  const { file, rouse } = createConfig(t, text);
  const added = await rouse(["senders", "add", "gitlab", "--public-url", "https://h.example.com/"]);
  assert.equal(added.code, 0, added.stderr);
  const after = readFileSync(file, "utf8");
  for (const kept of ["// mine", "// from outside", "// first", "/* takes all others */"])
    assert.ok(after.includes(kept), kept);
  assert.equal(readFileSync(`${file}.bak`, "utf8"), text);
  assert.deepEqual(
    configIn(file).hooks.mappings.map(({ match }) => match.path),
    ["build", "gitlab", null],
  );
  assert.match(added.stdout, /URL: https:\/\/h\.example\.com\/hooks\/gitlab\. Signing token: whsec_/);
  assert.doesNotMatch(added.stdout, /YOUR-HOST/);
  assert.equal(configIn(file).hooks.senders[0]?.publicUrl, null, "GitLab signs no address");
});

test("hooks that are off are turned on, with a token", async (t) => {
  const { file, rouse } = createConfig(t, "{}");
  const { code, stdout, stderr } = await rouse(["senders", "add", "typeform"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Hooks: +were off, and are on now/);
  const { hooks } = configIn(file);
  assert.ok(hooks.enabled && hooks.tokens.length === 1);
});

test("a secret of the sender's comes on standard input or stays in its file, and is never printed", async (t) => {
  const { folder, file, rouse } = createConfig(t);
  const given = await rouse(["senders", "add", "stripe", "--secret", "-"], {
    readInput: async () => "whsec_from_stripe\n",
  });
  assert.equal(given.code, 0, given.stderr);
  assert.doesNotMatch(given.stdout + given.stderr, /whsec_from_stripe/);
  const kept = join(folder, "slack-secret");
  writeFileSync(kept, "0123456789abcdef0123456789abcdef\n");
  const named = await rouse([
    "senders",
    "add",
    "slack",
    "chat",
    "--secret-file",
    kept,
    "--mapping",
    "mention",
  ]);
  assert.equal(named.code, 0, named.stderr);
  const { senders, mappings } = configIn(file).hooks;
  assert.deepEqual(
    senders.map(({ name, kind, secrets }) => [name, kind, ...secrets]),
    [
      ["stripe", "stripe", "whsec_from_stripe"],
      ["chat", "slack", "0123456789abcdef0123456789abcdef"],
    ],
  );
  assert.deepEqual(
    mappings.map(({ id }) => id),
    ["stripe-payment-failed", "chat-mention"],
  );
  assert.match(readFileSync(file, "utf8"), /"file": "slack-secret"/);
  assert.deepEqual(readdirSync(join(folder, "secrets")), ["stripe"]);
});

test("what cannot be is refused, and nothing is changed", async (t) => {
  const { folder, file, rouse } = createConfig(t);
  const before = readFileSync(file, "utf8");
  const refusals: [argv: string[], input: string, says: RegExp, code?: number][] = [
    [["githb"], "", /no kind "githb"\. Did you mean github/, 2],
    [[], "", /Name the kind/, 2],
    [["github", "wake"], "", /"wake" is built in/, 2],
    [["github", "../x"], "", /no request path can have this name/, 2],
    [
      ["stripe"],
      "",
      /Give the secret: it is Signing secret on the page[^]*--secret -[^]*YOUR-HOST\/hooks\/stripe/,
    ],
    [["stripe", "--secret", "whsec_open"], "", /never an argument/, 2],
    [["stripe", "--secret", "-"], "\n", /Standard input has no secret/],
    [["stripe", "--secret", "-"], "sk_live_other", /cannot be right: a secret of Stripe begins with whsec_/],
    [["stripe", "--secret-file", "/nowhere"], "", /There is no file \/nowhere/],
    [["discord"], "", /Give the public key/],
    [["discord", "--public-key", "short"], "", /is no public key for ed25519/],
    [["twilio", "--secret", "-"], "0".repeat(32), /Twilio needs --public-url URL/],
    [["aws-sns"], "", /needs --topic-arn ARN/],
    [["github", "--mapping", "nothing"], "", /no ready mapping "nothing".*issue-opened, review-asked/, 2],
    [["github", "--public-url", "h.example"], "", /must be an address/, 2],
    [["github", "--audience", "x"], "", /audience: has no effect on the kind github/],
    [["custom"], "", /--custom FILE/],
    [["custom", "--secret", "-", "--custom", file], "x", /custom/],
    [["token", "--header", "a b"], "", /header: must be the name of a header/],
  ];
  for (const [argv, input, says, code = 1] of refusals) {
    const refused = await rouse(["senders", "add", ...argv], { readInput: async () => input });
    assert.equal(refused.code, code, `${argv.join(" ")}: ${refused.stdout}${refused.stderr}`);
    assert.match(refused.stderr, says);
    assert.doesNotMatch(refused.stderr, /sk_live_other|whsec_open/);
    assert.equal(readFileSync(file, "utf8"), before, argv.join(" "));
  }
  const secrets = join(folder, "secrets");
  assert.deepEqual(existsSync(secrets) ? readdirSync(secrets) : [], []);
});

test("a name that exists is refused, and its secret stays", async (t) => {
  const { folder, rouse } = createConfig(t);
  assert.equal((await rouse(["senders", "add", "github"])).code, 0);
  const secret = readFileSync(join(folder, "secrets", "github"), "utf8");
  const again = await rouse(["senders", "add", "github"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /There is a sender github .* already.*rouse senders remove github/);
  assert.equal(readFileSync(join(folder, "secrets", "github"), "utf8"), secret);
});

test("a file that a crash left is neither used nor overwritten", async (t) => {
  const { folder, rouse } = createConfig(t);
  await rouse(["senders", "add", "github"]);
  await rouse(["senders", "remove", "github", "--yes"]);
  writeFileSync(join(folder, "secrets", "github"), "another secret\n");
  const refused = await rouse(["senders", "add", "github"]);
  assert.match(refused.stderr, /exists already, so nothing was written.*--secret-file/);
  assert.equal(readFileSync(join(folder, "secrets", "github"), "utf8"), "another secret\n");
  const named = await rouse(["senders", "add", "github", "--secret-file", join(folder, "secrets", "github")]);
  assert.equal(named.code, 0, named.stderr);
});

test("two at once: each sender is there, and none twice", async (t) => {
  const { file, rouse } = createConfig(t);
  const results = await Promise.all(
    ["github", "gitlab", "github", "typeform"].map((kind) => rouse(["senders", "add", kind])),
  );
  assert.deepEqual(
    results.map(({ code }) => code).toSorted((left, right) => left - right),
    [0, 0, 0, 1],
  );
  const { senders } = configIn(file).hooks;
  assert.deepEqual(senders.map(({ name }) => name).toSorted(), ["github", "gitlab", "typeform"]);
  assert.ok(senders.every(({ secrets }) => secrets.length === 1));
});

test("a mapping that is there for the name goes on, and a forbidden session key is left out", async (t) => {
  const hooks = {
    enabled: true,
    token: hookToken,
    allowedSessionKeyPrefixes: ["team:"],
    defaultSessionKey: "team:hooks",
    mappings: [{ id: "mine", match: { path: "github" }, messageTemplate: "An event" }],
  };
  const { file, rouse } = createConfig(t, { hooks });
  const kept = await rouse(["senders", "add", "github"]);
  assert.match(kept.stdout, /yours for github goes on/);
  await rouse(["senders", "add", "gitlab"]);
  const { mappings } = configIn(file).hooks;
  assert.deepEqual(
    mappings.map(({ id }) => id),
    ["mine", "gitlab-merge-request-opened"],
  );
  assert.equal(mappings[1]?.templates.sessionKey, null);
});

test("what a verify token and a custom row need is written, and no text is taken for a reference", async (t) => {
  const { folder, file, rouse } = createConfig(t);
  const secret = "0123456789abcdef0123456789abcdef";
  const meta = await rouse(["senders", "add", "meta", "--secret", "-", "--json"], {
    readInput: async () => secret,
  });
  assert.equal(meta.code, 0, meta.stderr);
  const { verifyToken, secret: printed } = json(meta) as { verifyToken: string; secret: string | null };
  assert.equal(printed, null);
  const row = join(folder, "row.json");
  writeFileSync(
    row,
    JSON.stringify({ signature: { header: "x-sig", prefix: "${literal}" }, key: "hex", signed: "{body}" }),
  );
  const custom = await rouse(["senders", "add", "custom", "shop", "--custom", row]);
  assert.equal(custom.code, 0, custom.stderr);
  assert.match(custom.stdout, /^At shop:$/m);
  const { senders } = configIn(file).hooks;
  assert.equal(senders[0]?.verifyToken, verifyToken);
  assert.deepEqual(senders[1]?.custom?.signature, { header: "x-sig", prefix: "${literal}" });
  assert.match(senders[1]?.secrets[0] ?? "", /^[0-9a-f]{64}$/);
});

test("a secret that is ours to choose is of the shape that the kind takes", () => {
  for (const kind of senderKinds.values()) {
    if (kind.secret.from !== "us" || kind.id === "custom") continue;
    const secret = makeSecret(kind, keyFormOf(kind));
    assert.notEqual(secret, makeSecret(kind, keyFormOf(kind)));
    const prepared = prepareSenders([{ ...bare, name: "x", kind: kind.id, secrets: [secret] }]);
    assert.ok(prepared.ok, `${kind.id}: ${JSON.stringify(prepared)}`);
  }
});

const bare = {
  publicKeys: [],
  publicUrl: null,
  verifyToken: null,
  origins: [],
  topicArns: [],
  audience: null,
  serviceAccountEmail: null,
  webhookId: null,
  header: null,
  custom: null,
  toleranceSeconds: null,
  maxBodyBytes: 1_048_576,
};

const enter = "\r";
const down = "\u001b[B";

/** Types each answer once its question is on the screen. */
async function talk(
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  answers: readonly [RegExp, string][],
): Promise<{ code: number | Error; stdout: string; screen: string }> {
  const { context, written } = createTestContext(argv, { env });
  const input = new PassThrough();
  let screen = "";
  const output = new PassThrough();
  output.on("data", (chunk: Buffer) => void (screen += chunk.toString("utf8")));
  const terminal = { input, output, openBrowser: null, isInteractive: true };
  let result: number | Error | null = null;
  const ended = runAdd(context, { terminal })
    .then((code) => (result = code))
    .catch((fault: unknown) => (result = fault as Error));
  for (const [question, answer] of answers) {
    await eventually(() => result !== null || question.test(screen), String(question));
    assert.match(screen, question);
    input.write(answer);
  }
  return { code: await ended, stdout: written.stdout, screen };
}

test("a person is asked for address, secret and mappings, sees the steps first, and can give up", async (t) => {
  const { file, env } = createConfig(t);
  const before = readFileSync(file, "utf8");
  const stopped = await talk(env, ["sentry"], [[/Where does it reach this gateway/, "\u0003"]]);
  assert.match(String(stopped.code), /Nothing was changed/);
  assert.equal(readFileSync(file, "utf8"), before);

  const done = await talk(
    env,
    ["slack"],
    [
      [/Where does it reach this gateway/, `https://h.example.com${enter}`],
      [/h\.example\.com\/hooks\/slack[^]*Secret: Signing Secret under Basic Information/, `short${enter}`],
      [/It cannot be right: it has 32 letters and digits/, `${"\u007f".repeat(5)}${"ab".repeat(16)}${enter}`],
      [/What becomes a run/, `${down} ${enter}`],
    ],
  );
  assert.equal(done.code, 0);
  assert.doesNotMatch(done.screen + done.stdout, /abab/);
  const { senders, mappings } = configIn(file).hooks;
  assert.deepEqual(senders[0]?.secrets, ["ab".repeat(16)]);
  assert.deepEqual(
    mappings.map(({ id }) => id),
    ["slack-mention", "slack-slash-command"],
  );
});

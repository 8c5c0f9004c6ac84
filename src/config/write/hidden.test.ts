import assert from "node:assert/strict";
import { test } from "node:test";
import { hideSecrets, type HiddenText, restoreSecrets } from "./hidden.ts";

const gatewayToken = "gateway-token-that-is-long-enough";
const hookToken = 'hook-"token"-that-is-long-enough';
const fromFile = "secret-from-a-file-of-its-own";
const fromEnvironment = "secret-from-the-environment";
const pluginSecret = "plugin-secret-of-its-own";

const text = `{
  // The old one was ${gatewayToken}; the one of the file is ${fromFile}.
  "gateway": { "auth": { "token": "${gatewayToken}" }, "host": "127.0.0.1" },
  "hooks": {
    "enabled": true,
    "token": [${JSON.stringify(hookToken)}, "\${HOOK_TOKEN}"],
    "tokens": { "ci": { "token": { "file": "ci-token" }, "hooks": ["agent"] } },
  },
  "agents": { "list": [{ "id": "main", "kind": "command", "command": "x", "env": { "KEY": "abcd" },
    "args": ["--token=${fromEnvironment}", "plain"] }] },
  "channels": { "plugins": [{ "module": "a.ts", "settings": { "password": "${pluginSecret}" } }] },
}
`;

const sources = {
  folder: "/nowhere",
  env: { HOOK_TOKEN: fromEnvironment },
  readFile: () => `${fromFile}\n`,
};

const hide = (written: string): HiddenText => {
  const hidden = hideSecrets(written, sources);
  assert.ok(hidden);
  return hidden;
};

const restored = (edited: string, hidden: HiddenText): string => {
  const result = restoreSecrets(edited, hidden);
  assert.ok("text" in result, JSON.stringify(result));
  return result.text;
};

const problems = (edited: string, hidden: HiddenText): string => {
  const result = restoreSecrets(edited, hidden);
  assert.ok("problems" in result);
  return result.problems.map(({ path, message, line }) => `${line} ${path}: ${message}`).join("\n");
};

test("no secret is in the text, wherever it stands and wherever it comes from; all else is", () => {
  const { text: shown } = hide(text);
  for (const secret of [gatewayToken, hookToken, fromFile, fromEnvironment, pluginSecret, "abcd", "hook-"])
    assert.ok(!shown.includes(secret), secret);
  for (const kept of [
    '"${HOOK_TOKEN}"',
    '{ "file": "ci-token" }',
    '"plain"',
    '"127.0.0.1"',
    '"a.ts"',
    "// The old",
  ])
    assert.ok(shown.includes(kept), kept);
});

test("an unchanged text comes back as it was, byte by byte", () => {
  const hidden = hide(text);
  assert.equal(restored(hidden.text, hidden), text);
});

test("a change beside the secrets keeps them; a new secret replaces one; lines may change their order", () => {
  const hidden = hide(text);
  const changed = hidden.text.replace("127.0.0.1", "::1").replace('"kind": "command"', '"kind": "echo"');
  assert.equal(
    restored(changed, hidden),
    text.replace("127.0.0.1", "::1").replace('"kind": "command"', '"kind": "echo"'),
  );
  const [mark] = /<hidden [\w-]+-\d+>(?=" \}, "host")/.exec(hidden.text)!;
  const replaced = restored(hidden.text.replace(`"${mark}"`, '"a-new-token-of-good-length"'), hidden);
  assert.ok(replaced.includes('"token": "a-new-token-of-good-length"'));
  assert.ok(replaced.includes(pluginSecret));
});

test("a hidden secret cannot be moved to where it would be shown", () => {
  const small = hide('{ "gateway": { "auth": { "token": "gateway-token-that-is-long-enough" } } }');
  const mark = /<hidden [\w-]+>/.exec(small.text)![0];
  assert.match(
    problems(`{\n  "gateway": { "host": "${mark}" } }`, small),
    /^2 gateway\.host: a hidden secret cannot be moved/,
  );
  assert.match(problems(`{ // "token": "${mark}"\n}`, small), /cannot be kept in a comment/);
  assert.match(problems(`{ "${mark}": 1 }`, small), /cannot be kept in a comment or a name/);
});

test("a mark of another text is a problem, also in a text that is broken", () => {
  const hidden = hide(text);
  assert.match(
    problems('{ "hooks": { "token": "<hidden AAAAAAAA-1>" } }', hidden),
    /hooks\.token: stands for a secret that is not in the present file/,
  );
  assert.match(problems('{ "hooks": <hidden AAAAAAAA-1>', hidden), /not in the present file/);
});

test("text in a setting that is not known may be a secret, too", () => {
  const { text: shown } = hide('{ "hooks": { "tokn": "a-secret-under-a-wrong-name", "path": "/hooks" } }');
  assert.doesNotMatch(shown, /a-secret-under/);
  assert.match(shown, /"\/hooks"/);
});

test("a text that is not well-formed is not shown at all", () => {
  assert.equal(hideSecrets('{ "gateway": ', sources), null);
});

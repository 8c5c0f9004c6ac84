import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { loadConfig } from "../load.ts";
import { configOf, gatewayToken, hookToken, problemsOf } from "../../../test/fixtures/config.ts";
import { expand } from "./secrets.ts";

test("environment variables stand anywhere in a text", () => {
  const env = { A: "one", B: "two" };
  assert.deepEqual(expand("x-${A}-${B}-${A}", env), { ok: true, value: "x-one-two-one" });
  assert.deepEqual(expand("no reference, $A and {A}", env), { ok: true, value: "no reference, $A and {A}" });
});

test("$${ is a literal ${, and values are not expanded again", () => {
  assert.deepEqual(expand("$${A}", { A: "one" }), { ok: true, value: "${A}" });
  assert.deepEqual(expand("${A}", { A: "${B}", B: "no" }), { ok: true, value: "${B}" });
  assert.deepEqual(expand("${A}", { A: "$&$1" }), { ok: true, value: "$&$1" });
});

test("unset, empty and malformed references are problems", () => {
  const message = (text: string) => expand(text, { EMPTY: "" });
  assert.deepEqual(message("${NOPE}"), {
    ok: false,
    message: "the environment variable NOPE is not set: set it where Rouse is started",
  });
  assert.deepEqual(message("${EMPTY}"), {
    ok: false,
    message: "the environment variable EMPTY is empty: set it where Rouse is started",
  });
  assert.deepEqual(message("${toString}"), {
    ok: false,
    message: "the environment variable toString is not set: set it where Rouse is started",
  });
  for (const text of ["${}", "${a b}", "${open"]) {
    assert.match(JSON.stringify(message(text)), /must name an environment variable/);
  }
});

test("references work in every setting, secret or not", () => {
  const env = { HOST: "localhost", HOOK: hookToken, OWN: gatewayToken, URL: "postgres://u:p@h/d", DIR: "s" };
  const config = configOf(
    {
      gateway: { host: "${HOST}", auth: { token: "${OWN}" } },
      hooks: { enabled: true, token: ["${HOOK}", { file: "${DIR}/next" }] },
      store: { url: "${URL}" },
    },
    { env, files: { "/home/rouse/s/next": "the-next-token-long-enough\n" } },
  );
  assert.equal(config.gateway.host, "localhost");
  assert.equal(config.gateway.auth.token, gatewayToken);
  assert.deepEqual(config.hooks.tokens, [hookToken, "the-next-token-long-enough"]);
  assert.equal(config.store.url, "postgres://u:p@h/d");
});

test("a secret file is read unchanged, without line breaks at its end", () => {
  const files = { "/run/token": "${NOT_EXPANDED}-long-enough-too\r\n" };
  const config = configOf({ hooks: { token: { file: "/run/token" } } }, { files });
  assert.deepEqual(config.hooks.tokens, ["${NOT_EXPANDED}-long-enough-too"]);
});

test("a secret file that is missing or empty is a problem, an unset variable in its name is one too", () => {
  const files = { "/home/rouse/blank": " \n" };
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: { file: "none" } } }), [
    "hooks.token: there is no file of this name (ENOENT); names are relative to /home/rouse",
  ]);
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: [{ file: "blank" }] } }, { files }), [
    "hooks.token[0]: the file /home/rouse/blank is empty: write the secret into it",
  ]);
  assert.deepEqual(problemsOf({ gateway: { auth: { token: { file: "${DIR}/x" } } } }), [
    "gateway.auth.token.file: the environment variable DIR is not set: set it where Rouse is started",
  ]);
});

test("only a secret can be a file", () => {
  assert.deepEqual(problemsOf({ gateway: { host: { file: "x" } } }), [
    "gateway.host: must be text, not an object",
  ]);
  assert.deepEqual(problemsOf({ hooks: { token: { file: 5 } } }), [
    "hooks.token.file: must be text, not a number: put it in double quotes",
  ]);
  assert.deepEqual(problemsOf({ hooks: { token: { file: " " } } }), ["hooks.token.file: must not be blank"]);
});

test("a secret file that is there and cannot be read is named, and one that is not there may be the secret itself", () => {
  const folder = makeFolder("secrets");
  mkdirSync(join(folder, "hook-token"));
  const file = join(folder, "rouse.jsonc");
  const messageFor = (name: string): string => {
    writeFileSync(file, JSON.stringify({ hooks: { token: { file: name } } }), { mode: 0o600 });
    const loaded = loadConfig(file, {});
    return loaded.ok ? "" : (loaded.problems[0]?.message ?? "");
  };
  assert.equal(
    messageFor("hook-token"),
    `the file ${join(folder, "hook-token")} cannot be read: it is a folder, not a file`,
  );
  assert.equal(
    messageFor("S3CRET"),
    `there is no file of this name (ENOENT); names are relative to ${folder}`,
  );
});

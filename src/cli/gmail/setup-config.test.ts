import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { loadConfig } from "../../config/load.ts";
import { account, createLab, gmailIn, modeOf } from "../../../test/fixtures/gmail-account.ts";

test("an existing config keeps its comments, its other settings and its mode; values from the environment stay references", async (t) => {
  const lab = await createLab(t);
  const text = `{
  // mine
  "gateway": { "auth": { "token": "gateway-token-that-is-long-enough" } },
  "hooks": {
    "enabled": true, "token": "hook-token-that-is-long-enough",
    "gmail": {
      "account": "\${MAIL}", // from outside
      "maxBytes": 4000, /* short */
    },
  },
}
`;
  writeFileSync(lab.file, text, { mode: 0o600 });
  lab.env["MAIL"] = account;
  const { code, stderr } = await lab.setup(["--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  for (const kept of ["// mine", "// from outside", "/* short */", '"${MAIL}"', '"maxBytes": 4000'])
    assert.ok(lab.config().includes(kept), kept);
  assert.equal(readFileSync(`${lab.file}.bak`, "utf8"), text);
  assert.equal(gmailIn(lab)?.credentialsFile, lab.credentialsFile);
  assert.equal(modeOf(lab.file), "600");
});

test("settings for mail stay when the first account is set up", async (t) => {
  const lab = await createLab(t);
  const hooks = { enabled: true, token: "hook-token-that-is-long-enough", gmail: { maxBytes: 4000 } };
  writeFileSync(lab.file, JSON.stringify({ hooks }), { mode: 0o600 });
  const { code, stderr } = await lab.setup(["--account", account, "--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  assert.equal(gmailIn(lab)?.account, account);
  assert.equal(gmailIn(lab)?.maxBytes, 4000);
});

test("hooks that are off are turned on, and the output says so", async (t) => {
  const lab = await createLab(t);
  writeFileSync(lab.file, "{}", { mode: 0o600 });
  const { code, stdout, stderr } = await lab.setup(["--account", account, "--client", lab.clientFile]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /hooks\.enabled, hooks\.token, hooks\.gmail\.account/);
  const loaded = loadConfig(lab.file, lab.env);
  assert.ok(loaded.ok && loaded.config.hooks.enabled);
  const token = loaded.config.hooks.tokens[0] ?? "";
  assert.ok(token.length > 24 && !stdout.includes(token));
});

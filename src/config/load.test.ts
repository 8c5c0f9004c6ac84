import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configOf, hookToken, parse, problemsOf } from "../../test/fixtures/config.ts";
import { loadConfig } from "./load.ts";
import { makeFolder } from "../../test/support/folder.ts";

const folder = () => makeFolder("config");

test("an empty object is a whole configuration", () => {
  assert.deepEqual(configOf({}), {
    file: "/home/rouse/rouse.jsonc",
    gateway: {
      host: "127.0.0.1",
      port: 4665,
      auth: { token: null },
      trustedProxies: [],
      publicHosts: [],
      drainSeconds: 30,
      maxConnections: 5000,
    },
    hooks: {
      enabled: false,
      tokens: [],
      namedTokens: [],
      path: "/hooks",
      allowedAgentIds: null,
      defaultSessionKey: null,
      allowRequestSessionKey: false,
      allowedSessionKeyPrefixes: [],
      senders: [],
      tools: [],
      results: "none",
      maxWaiting: 500,
      deliverFailures: true,
      callbacks: new Map(),
      budget: { runsPerDay: 1000, tokensPerDay: 5_000_000, moneyPerDay: null },
      mappings: [],
      gmail: null,
      mail: [],
      transformsDir: "/home/rouse/transforms",
      transformTimeoutSeconds: 5,
      maxBodyBytes: 262_144,
      bodyTimeoutSeconds: 30,
      maxQueued: 100_000,
      maxWaitingEvents: 100_000,
      maxWaitingBytes: 268_435_456,
      keepRequestsMs: 604_800_000,
      keepRequestBytes: 65_536,
      authFailures: { max: 20, windowSeconds: 60 },
    },
    agents: {
      list: [
        {
          id: "main",
          default: true,
          workspace: "/home/rouse/workspaces/main",
          instructions: null,
          instructionsFile: null,
          fallback: null,
          model: null,
          thinking: null,
          tools: [],
          kind: "echo",
        },
      ],
      models: undefined,
      heartbeatEveryMs: 1_800_000,
      timeoutSeconds: 600,
      instructionFiles: [],
      unknown: "default",
      maxConcurrent: 4,
      keepToolCalls: false,
      maxAttempts: 6,
    },
    channels: { list: [], plugins: [], named: [] },
    models: { providers: {}, prices: {}, contextTokens: {} },
    mcp: {},
    store: { url: null, path: "/home/rouse/rouse.db", retentionMs: 2_592_000_000, leaseSeconds: 15 },
    log: { level: "info", format: "auto" },
  });
});

test("comments, trailing commas, a byte order mark and $schema are fine", () => {
  const result = parse(
    '\uFEFF{\n  // a\n  "$schema": "./x.json", /* b */\n  "log": { "level": "debug", },\n}\n',
  );
  assert.ok(result.ok);
  assert.equal(result.config.log.level, "debug");
});

test("the configuration is frozen all the way down", () => {
  const config = configOf({ agents: { list: [{ id: "a", kind: "command", command: "x", args: ["y"] }] } });
  const [agent] = config.agents.list;
  assert.ok(agent?.kind === "command");
  for (const part of [config, config.gateway.auth, config.hooks.tokens, agent, agent.args]) {
    assert.ok(Object.isFrozen(part));
  }
});

test("every problem is reported at once: schema, secrets and rules, each with its own line", () => {
  const problems = problemsOf({
    gatway: {},
    gateway: { port: 70_000, auth: { token: "${UNSET}" }, trustedProxies: ["10.0.0.0/33", ""] },
    hooks: { enabled: true, tokn: "x", defaultSessionKey: "main", mappings: [{ transform: {} }] },
    agents: {
      list: [{ kind: "command" }, { id: "A" }, { id: "a ", kind: "command", thinking: 4 }],
      defaults: { models: { "a/b": { alias: "f" }, "c/d": { alias: "f" } } },
    },
    store: { url: { file: "nowhere" } },
    log: { level: "loud" },
  });
  assert.deepEqual(problems, [
    "gatway: unknown setting `gatway`; did you mean `gateway`?",
    "gateway.port: must be at most 65535, not 70000",
    "gateway.auth.token: the environment variable UNSET is not set: set it where Rouse is started",
    "gateway.trustedProxies[0]: must be an address or a CIDR range, such as 10.0.0.0/8",
    "gateway.trustedProxies[1]: must not be blank",
    "hooks.token: is required when hooks.enabled is true: make one with rouse token new",
    "hooks.tokn: unknown setting `tokn`; did you mean `token`?",
    'hooks.defaultSessionKey: must not be "main": that is the main session\'s own',
    "hooks.mappings[0].transform.module: is missing",
    "agents.list[0].id: is missing",
    "agents.list[2].command: is missing: an agent of kind command needs its program, or a preset",
    "agents.list[2].id: is the id of agents.list[0] already: choose another (upper and lower case are the same)",
    "agents.list[2].thinking: must be text, not a number: put it in double quotes",
    'agents.defaults.models["c/d"].alias: is the alias of another model already',
    "store.url: there is no file of this name (ENOENT); names are relative to /home/rouse",
    'log.level: must be "debug", "info", "warn", "error" or "silent", not another text',
  ]);
});

test("a setting with a problem gets no second one", () => {
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: 5 } }), [
    'hooks.token: must be text, { "file": … }, or a list of these, not a number',
  ]);
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: [5] } }), [
    'hooks.token[0]: must be text, or { "file": … }, not a number',
  ]);
  assert.deepEqual(problemsOf({ hooks: { enabled: true, token: "${UNSET}" } }), [
    "hooks.token: the environment variable UNSET is not set: set it where Rouse is started",
  ]);
  assert.deepEqual(problemsOf({ hooks: 5 }), ["hooks: must be an object, not a number"]);
});

test("problems have the line and column of the setting", () => {
  const result = parse(
    '{\n  "hooks": {\n    "mappings": [\n      { "match": { "pth": "x" } }\n    ]\n  }\n}',
  );
  assert.ok(!result.ok);
  assert.deepEqual(result.problems, [
    {
      path: "hooks.mappings[0].match.pth",
      message: "unknown setting `pth`; did you mean `path`?",
      line: 4,
      column: 20,
    },
  ]);
});

test("the top level must be an object", () => {
  const others = { "[1]": "a list", "5": "a number", null: "null", '"x"': "text" };
  for (const [text, came] of Object.entries(others))
    assert.deepEqual(problemsOf(text), [`: must be an object, not ${came}`]);
});

test("a file readable by others is a warning, one of mode 0600 is not", () => {
  const file = join(folder(), "rouse.jsonc");
  writeFileSync(file, "{}", { mode: 0o600 });
  const open = /can be read or written by other users/;
  const quiet = loadConfig(file, {});
  assert.ok(!quiet.warnings.some(({ message }) => open.test(message)));
  chmodSync(file, 0o640);
  const loud = loadConfig(file, {});
  assert.ok(loud.ok);
  assert.ok(loud.warnings.some(({ message }) => open.test(message)));
});

test("a file that cannot be read is a problem: missing, a folder, not UTF-8", () => {
  const home = folder();
  const bytes = join(home, "bytes.jsonc");
  writeFileSync(bytes, Buffer.from([0x7b, 0xff, 0x7d]));
  const messages = [join(home, "missing.jsonc"), home, bytes].map((file) => {
    const result = loadConfig(file, {});
    return result.ok ? "" : result.problems.map(({ message }) => message).join();
  });
  assert.deepEqual(messages, [
    "the config file cannot be read: it is not there (ENOENT)",
    "the config file cannot be read: it is a folder, not a file",
    "the config file cannot be read: it is not UTF-8 text; save it as UTF-8",
  ]);
});

test("secret files are found beside the config file and named in the result", () => {
  const home = folder();
  const file = join(home, "rouse.jsonc");
  writeFileSync(join(home, "secret"), `${hookToken}\r\n\n`);
  writeFileSync(file, '{ "hooks": { "enabled": true, "token": { "file": "secret" } } }');
  const result = loadConfig(file, {});
  assert.ok(result.ok);
  assert.deepEqual(result.config.hooks.tokens, [hookToken]);
  assert.deepEqual(result.files, [file, join(home, "secret")]);
});

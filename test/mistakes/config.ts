// Mistakes in rouse.jsonc and in the files it names.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Mistake } from "./mistake.ts";

const token = "hook-token-that-is-long-enough";

/** A config that can be used, with more in its hooks, and more sections. */
export const config = (hooks = "", sections = ""): string => `{
  "hooks": {
    "enabled": true,
    "token": "${token}"${hooks && `,\n    ${hooks}`}
  }${sections && `,\n  ${sections}`}
}
`;

const mapping = (settings: string): string =>
  config(`"mappings": [\n      { "match": { "path": "build" }, ${settings} }\n    ]`);
const agent = (settings: string): string =>
  config("", `"agents": {\n    "list": [{ "id": "main", ${settings} }]\n  }`);
const withToken = (written: string): string => config().replace(`"${token}"`, written);

type ConfigMistake = Omit<Mistake, "code" | "says"> & { says: string };
/** `rouse check` says it, and the start refuses the file with the same words. */
const problem = (mistake: ConfigMistake): Mistake => ({
  ...mistake,
  code: 1,
  says: mistake.says
    .split("\n")
    .map((line) => `problem  ${line}`)
    .join("\n"),
});
const warning = (mistake: ConfigMistake): Mistake => ({
  ...mistake,
  code: 0,
  says: `warning  ${mistake.says}`,
});

export const syntaxMistakes: Mistake[] = [
  problem({
    name: "a missing comma",
    config: config().replace("true,", "true"),
    says: "a comma is missing before this (line 4, column 5)",
  }),
  problem({
    name: "typographic quotes, from a page or a chat",
    config: config().replace('"enabled"', "“enabled”"),
    says: '“ is a typographic quote, not a plain one: write " around names and texts (line 3, column 5)',
  }),
  problem({
    name: "single quotes",
    config: config().replace('"enabled"', "'enabled'"),
    says: "' is not a double quote: write \" around names and texts (line 3, column 5)",
  }),
  problem({
    name: "YAML in place of JSON",
    config: "hooks:\n  enabled: true\n",
    says: "a word needs double quotes; only true, false, null and numbers stand without (line 1, column 1)",
  }),
  problem({
    name: "a brace that is not closed",
    config: config().trimEnd().slice(0, -1),
    says: "the file ends before everything is closed: a } or ] is missing (line 6, column 1)",
  }),
  problem({
    name: "an empty file",
    config: "",
    says: "the file is empty: {} is the least it can hold (line 1, column 1)",
  }),
  {
    name: "a byte order mark at the beginning, which does no harm",
    config: `\uFEFF${config()}`,
    code: 0,
    says: "HOME/rouse.jsonc can be used.",
  },
  problem({
    name: "UTF-16, as an old PowerShell writes it",
    config: Buffer.from(`\uFEFF${config()}`, "utf16le"),
    says: "the config file cannot be read: it is not UTF-8 text; save it as UTF-8",
  }),
  problem({
    name: "a folder in place of the config",
    prepare: (home) => mkdirSync(join(home, "rouse.jsonc")),
    says: "the config file cannot be read: it is a folder, not a file",
  }),
  problem({
    name: "a config that this user may not read",
    config: config(),
    prepare: (home) => chmodSync(join(home, "rouse.jsonc"), 0),
    byAnother: true,
    says: "the config file cannot be read: this user may not read it (EACCES); give it to the user that Rouse runs as",
  }),
];

export const settingMistakes: Mistake[] = [
  problem({
    name: "a misspelt setting",
    config: config('"mapings": []'),
    says: "hooks.mapings: unknown setting `mapings`; did you mean `mappings`? (line 5, column 5)",
  }),
  problem({
    name: "a setting one level too far out",
    config: config('"mappings": [{ "path": "build", "messageTemplate": "Hello" }]'),
    says: "hooks.mappings[0].path: unknown setting `path`; did you mean `match.path`? (line 5, column 20)",
  }),
  problem({
    name: "a number as text",
    config: config("", '"gateway": { "port": "4665" }'),
    says: "gateway.port: must be a number, not text: write it without quotes (line 6, column 16)",
  }),
  problem({
    name: "a number out of range",
    config: config("", '"gateway": { "port": 70000 }'),
    says: "gateway.port: must be at most 65535, not 70000 (line 6, column 16)",
  }),
  problem({
    name: "a switch as text",
    config: config().replace("true", '"true"'),
    says: "hooks.enabled: must be true or false, not text: write it without quotes (line 3, column 5)",
  }),
  problem({
    name: "one value in place of a list",
    config: config('"presets": "gmail"'),
    says: "hooks.presets: must be a list, not text: put it in [ ] (line 5, column 5)",
  }),
  problem({
    name: "a duration as a number",
    config: config("", '"agents": { "defaults": { "heartbeat": { "every": 30 } } }'),
    says: 'agents.defaults.heartbeat.every: must be a duration in quotes, such as "90s", "30m", "12h" or "7d", not a number (line 6, column 44)',
  }),
  problem({
    name: "a wrong word with a right one near it",
    config: config("", '"log": { "level": "warning" }'),
    says: 'log.level: must be "debug", "info", "warn", "error" or "silent"; did you mean "warn"? (line 6, column 12)',
  }),
  problem({
    name: "an unknown preset",
    config: config('"presets": ["github"]'),
    says: 'hooks.presets[0]: must be "gmail", not another text (line 5, column 17)',
  }),
  problem({
    name: "a setting written twice",
    config: config('"enabled": false'),
    says: "hooks.enabled: is written twice; keep one of them (line 5, column 5)",
  }),
  problem({
    name: "several mistakes at once: all are listed, in the order of the file",
    config: config('"paht": "/in"', '"log": { "level": 5 }').replace("true", '"yes"'),
    says: [
      "hooks.enabled: must be true or false, not text (line 3, column 5)",
      "hooks.paht: unknown setting `paht`; did you mean `path`? (line 5, column 5)",
      'log.level: must be "debug", "info", "warn", "error" or "silent", not a number (line 7, column 12)',
    ].join("\n"),
  }),
];

export const tokenMistakes: Mistake[] = [
  problem({
    name: "no token",
    config: '{ "hooks": { "enabled": true } }',
    says: "hooks.token: is required when hooks.enabled is true: make one with rouse token new (line 1, column 3)",
  }),
  warning({
    name: "a token that is too short",
    config: withToken('"secret"'),
    says: "hooks.token: is shorter than 24 characters and could be guessed: make a longer one with rouse token new (line 4, column 5)",
  }),
  problem({
    name: "the hooks' token is that of the gateway",
    config: config("", `"gateway": { "auth": { "token": "${token}" } }`),
    says: "hooks.token: must not be the same as gateway.auth.token: give hooks a token of their own (line 4, column 5)",
  }),
  problem({
    name: "a variable that is not set",
    config: withToken('"${HOOK_TOKEN}"'),
    says: "hooks.token: the environment variable HOOK_TOKEN is not set: set it where Rouse is started (line 4, column 5)",
  }),
  problem({
    name: "a variable without braces",
    config: withToken('"$HOOK_TOKEN"'),
    says: 'hooks.token: is the name of a variable and not its value: in braces it is read, as in "${NAME}" (line 4, column 5)',
  }),
  problem({
    name: "a secret's file, relative to the wrong folder",
    config: withToken('{ "file": "conf/hook-token" }'),
    files: { "hook-token": token },
    says: "hooks.token: there is no file of this name (ENOENT); names are relative to HOME (line 4, column 5)",
  }),
  problem({
    name: "a secret's file that this user may not read",
    config: withToken('{ "file": "hook-token" }'),
    files: { "hook-token": token },
    prepare(home) {
      chmodSync(join(home, "rouse.jsonc"), 0o644);
      chmodSync(join(home, "hook-token"), 0);
    },
    byAnother: true,
    says: "hooks.token: the file HOME/hook-token cannot be read: this user may not read it (EACCES); give it to the user that Rouse runs as (line 4, column 5)",
  }),
  problem({
    name: "session key prefixes that forbid the default",
    config: config('"defaultSessionKey": "hook:all", "allowedSessionKeyPrefixes": ["team:"]'),
    says: "hooks.defaultSessionKey: must start with one of hooks.allowedSessionKeyPrefixes, or no run could use it: change it, or add its beginning there (line 5, column 5)",
  }),
];

export const mappingMistakes: Mistake[] = [
  problem({
    name: "a mapping's action, misspelt",
    config: mapping('"action": "agnet", "messageTemplate": "Hello"'),
    says: 'hooks.mappings[0].action: must be "wake" or "agent"; did you mean "agent"? (line 6, column 39)',
  }),
  problem({
    name: "a payload's field as a mapping's setting",
    config: mapping('"message": "Hello"'),
    says: "hooks.mappings[0].message: unknown setting `message`; did you mean `messageTemplate`? (line 6, column 39)",
  }),
  problem({
    name: "a template that is not closed",
    config: mapping('"messageTemplate": "Build {{ payload.name"'),
    says: 'hooks.mappings[0].messageTemplate: output "{{ payload.name" is not closed: end it with }} (line 1, column 7 of the template) (line 6, column 39)',
  }),
  problem({
    name: "a filter that templates do not have",
    config: mapping('"messageTemplate": "{{ name | upcse }}"'),
    says: 'hooks.mappings[0].messageTemplate: filter "upcse" is not available in templates; did you mean upcase? (line 1, column 11 of the template) (line 6, column 39)',
  }),
  warning({
    name: "a template in a setting that is none",
    config: mapping('"agentId": "{{ agent }}", "messageTemplate": "Hello"'),
    says: "hooks.mappings[0].agentId: is no template, and the id of no agent: the default agent, main, runs instead. A transform can set it for each request (line 6, column 39)",
  }),
  problem({
    name: "two mappings with one id",
    config: config(
      '"mappings": [\n      { "id": "ci", "match": { "path": "a" }, "messageTemplate": "A" },\n      { "id": "ci", "match": { "path": "b" }, "messageTemplate": "B" }\n    ]',
    ),
    says: "hooks.mappings[1].id: is the id of hooks.mappings[0] already: choose another (line 7, column 9)",
  }),
  problem({
    name: "a mapping that can never be reached",
    config: config(
      '"mappings": [\n      { "id": "all", "messageTemplate": "A" },\n      { "match": { "path": "b" }, "messageTemplate": "B" }\n    ]',
    ),
    says: "hooks.mappings[1]: can never be reached: the mapping all before it takes all of its requests. Put it before that one, or let that one match less (line 7, column 7)",
  }),
  problem({
    name: "an unknown channel",
    config: mapping('"channel": "telegramm", "messageTemplate": "Hello"'),
    says: "hooks.mappings[0].channel: there is no such channel; did you mean telegram? (line 6, column 39)",
  }),
  problem({
    name: "a transform that is not there",
    config: mapping('"transform": { "module": "build.ts" }'),
    prepare: (home) => mkdirSync(join(home, "transforms")),
    says: "hooks.mappings[0].transform: There is no build.ts in the transforms folder: put it there, or correct the name. (line 6, column 39)",
  }),
];

export const agentMistakes: Mistake[] = [
  problem({
    name: "an agent's kind, misspelt: only that is said",
    config: agent('"kind": "comand", "command": "my-agent"'),
    says: 'agents.list[0].kind: must be "echo", "model", "command", "acp" or "http"; did you mean "command"? (line 7, column 30)',
  }),
  warning({
    name: "a program without the kind that runs it",
    config: agent('"command": "my-agent"'),
    says: 'agents.list[0].command: has no effect on an agent of kind echo: add "kind": "command" (line 7, column 30)',
  }),
  problem({
    name: "a model without its provider",
    config: agent('"kind": "model", "model": "gpt-5"'),
    says: "agents.list[0].model: must be provider/model, with the provider from models.providers (line 7, column 47)",
  }),
  problem({
    name: "an instructions file that is not there",
    config: agent('"instructions": { "file": "AGENTS.md" }'),
    says: "agents.list[0].instructions: the instructions file cannot be read (ENOENT): each run of agent main would fail. It must be a text file at HOME/workspaces/main/AGENTS.md (line 7, column 30)",
  }),
  {
    name: "an agent's program that is not installed",
    config: agent('"kind": "command", "command": "my-agent"'),
    command: ["doctor"],
    code: 1,
    says: "fail  agent main: its command my-agent was not found as a program that this user may run\n      → Install it, or write its whole path as the agent's command. A service may have another PATH than this shell.",
  },
  problem({
    name: "an address of PostgreSQL in another form",
    config: config("", '"store": { "url": "localhost:5432/rouse" }'),
    says: "store.url: must begin with postgres:// or postgresql:// (line 6, column 14)",
  }),
];

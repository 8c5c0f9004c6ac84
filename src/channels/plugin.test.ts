import assert from "node:assert/strict";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { makeFolder } from "../../test/support/folder.ts";
import { loadPlugin, mattermostFile, openPlugin } from "./plugin.ts";
import { going } from "../../test/fixtures/recording-platform.ts";

const tools = { fetch };

function write(name: string, text: string, folder = makeFolder("plugin")): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const source = (id: string) => `
  const channel = {
    idempotent: true,
    recipientFault: (to) => (to === "" ? "must be somebody" : null),
    render: (markdown) => [markdown],
    send: async () => ({ kind: "sent" }),
    check: async () => ({ ok: true, detail: "there" }),
  };
  export default { id: ${JSON.stringify(id)}, create: () => channel };
`;

async function faultOf(name: string, text: string): Promise<string> {
  const loaded = await loadPlugin(write(name, text));
  assert.ok(!loaded.ok, "it was loaded");
  return loaded.message;
}

test("Mattermost is loaded like a plugin, under its name in the config", async () => {
  const loaded = await loadPlugin(mattermostFile);
  assert.ok(loaded.ok && loaded.plugin.id === "mattermost");
  const opened = openPlugin(loaded.plugin, { apiBase: "http://127.0.0.1:1", token: "t" }, tools);
  assert.ok(opened.ok && opened.channel.idempotent);
  const refused = openPlugin(loaded.plugin, { token: "t0ken" }, tools);
  assert.ok(
    !refused.ok && refused.message.startsWith("mattermost: apiBase:") && !refused.message.includes("t0ken"),
  );
});

test("a user's module can be any kind of file", async () => {
  const folder = makeFolder("plugin");
  write("package.json", '{ "type": "module" }', folder);
  const files = [
    write("own.mjs", source("own")),
    write("own.ts", `type Id = string;\n${source("own")}`),
    write("own.js", source("own"), folder),
  ];
  for (const file of files) {
    const loaded = await loadPlugin(file);
    assert.ok(loaded.ok, file);
    const opened = openPlugin(loaded.plugin, {}, tools);
    assert.ok(opened.ok);
    assert.deepEqual(await opened.channel.send({ id: "m", to: "x", text: "y" }, going()), { kind: "sent" });
  }
});

test("types are found where this package is not installed, also below a package that says CommonJS", async () => {
  const folder = makeFolder("plugin");
  write("package.json", '{ "type": "commonjs" }', folder);
  const text = `import { type ChannelPlugin } from "rouse/channel";\n${source("own")}`;
  const loaded = await loadPlugin(write("own.ts", text, folder));
  assert.ok(loaded.ok, loaded.ok ? "" : loaded.message);
});

test("the resolver for types is removed once a module is loaded", async () => {
  const file = write("own.mjs", `import "rouse/channel";\n${source("own")}`);
  assert.ok((await loadPlugin(file)).ok);
  await assert.rejects(import(pathToFileURL(file).href), /rouse/);
});

test("an edited module is loaded again", async () => {
  const file = write("own.mjs", source("before"));
  utimesSync(file, 1000, 1000);
  const before = await loadPlugin(file);
  writeFileSync(file, source("after"));
  const after = await loadPlugin(file);
  assert.deepEqual(
    [before, after].map((loaded) => loaded.ok && loaded.plugin.id),
    ["before", "after"],
  );
});

test("a finding names the fault of a module", async () => {
  assert.match(await faultOf("a.mjs", "export const x = 1;"), /^a\.mjs: its default export must be/);
  assert.match(await faultOf("a.mjs", "export default () => 1;"), /default export must be/);
  assert.match(await faultOf("a.mjs", "export default { id: 'own' };"), /create must be a function/);
  for (const id of ["", "Own", "1own", "own channel", "x".repeat(33)])
    assert.match(await faultOf("a.mjs", source(id)), /id must be/, id);
  for (const id of ["last", "telegram", "mattermost", "whatsapp", "plugins"])
    assert.match(await faultOf("a.mjs", source(id)), /is taken/, id);
  assert.match(await faultOf("a.mjs", "export default {"), /^a\.mjs cannot be loaded: /);
  assert.match(await faultOf("a.mjs", "throw new Error('no key\\nhere');"), /cannot be loaded: no key here$/);
  assert.match(await faultOf("a.mjs", "throw null;"), /cannot be loaded: null$/);
  const missing = await loadPlugin(join(makeFolder("plugin"), "gone.ts"));
  assert.ok(!missing.ok && /^gone\.ts cannot be loaded: .*ENOENT/.test(missing.message));
});

test("a finding names the fault of a channel", async () => {
  const open = (create: () => unknown) => openPlugin({ id: "own", create: create as never }, {}, tools);
  const thrown = open(() => {
    throw new Error("settings.key is missing");
  });
  assert.deepEqual(thrown, { ok: false, message: "own: settings.key is missing" });
  for (const made of [undefined, null, 1, "x"]) assert.ok(!open(() => made).ok);
  assert.deepEqual(
    open(() => ({ render: () => [], send: 1 })),
    {
      ok: false,
      message: "own: its channel has no function recipientFault, send, check",
    },
  );
});

test("the example keeps messages in a file and passes for a channel", async () => {
  const example = fileURLToPath(new URL("../../examples/channels/file.ts", import.meta.url));
  const loaded = await loadPlugin(example);
  assert.ok(loaded.ok && loaded.plugin.id === "file");
  assert.ok(!openPlugin(loaded.plugin, {}, tools).ok);
  const folder = join(makeFolder("plugin"), "messages");
  const opened = openPlugin(loaded.plugin, { folder }, tools);
  assert.ok(opened.ok);
  const { channel } = opened;
  assert.equal((await channel.check(going())).ok, true);
  for (const to of ["", " ", "../notes", "a/b", "/etc/x"])
    assert.equal(typeof channel.recipientFault(to), "string", to);
  for (const text of channel.render("# Hello\n\nthere"))
    assert.deepEqual(await channel.send({ id: "m1", to: "notes", text }, going()), { kind: "sent" });
  const stopped = await channel.send({ id: "m2", to: "notes", text: "late" }, AbortSignal.abort());
  assert.equal(stopped.kind, "retry");
  const lines = readFileSync(join(folder, "notes.jsonl"), "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    [{ id: "m1", text: "# Hello\n\nthere" }],
  );
  const nowhere = openPlugin(loaded.plugin, { folder: join(folder, "notes.jsonl") }, tools);
  assert.ok(nowhere.ok);
  assert.equal((await nowhere.channel.check(going())).ok, false);
  assert.equal((await nowhere.channel.send({ id: "m3", to: "notes", text: "x" }, going())).kind, "unknown");
});

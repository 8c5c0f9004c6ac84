// Every file that a configuration names can be a pipe without a writer, a device that never ends, a socket or a folder:
// by mistake, or because an agent made it in its workspace. None of them is waited for. A pipe needs `mkfifo`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { makeFolder } from "../../test/support/folder.ts";
import { loadPlugin } from "../channels/plugin.ts";
import { loadConfig } from "../config/load.ts";
import { scanFiles } from "../config/read/files.ts";
import { readRegularFile, readRegularFileSync } from "../config/read/regular-file.ts";
import { readCredentials } from "../gmail-setup/credentials.ts";
import { createAuth, gmailScope } from "../mail/gmail/auth.ts";
import { readInstructions } from "../session/instructions.ts";
import { resolveModule } from "../transforms/resolve.ts";

const folder = makeFolder("irregular");
const path = (name: string) => join(folder, name);

const irregular: Readonly<Record<string, (at: string) => unknown>> = {
  "a pipe without a writer": (at) => execFileSync("mkfifo", [at]),
  "a link to a device": (at) => symlinkSync("/dev/zero", at),
  "a link to a terminal": (at) => symlinkSync("/dev/ptmx", at),
  "a folder": (at) => mkdirSync(at),
  async "a socket"(at) {
    const server = createServer().listen(at);
    server.unref();
    await once(server, "listening");
  },
};

const problemsOf = (file: string): string => {
  const loaded = loadConfig(file, {});
  return loaded.ok ? "" : loaded.problems.map(({ message }) => message).join();
};

function problemsWithSecret(file: string): string {
  writeFileSync(path("rouse.jsonc"), JSON.stringify({ hooks: { enabled: true, token: { file } } }));
  return problemsOf(path("rouse.jsonc"));
}

async function instructionsFault(instructionsFile: string): Promise<string> {
  const read = await readInstructions({ instructionsFile, workspace: folder, instructions: null });
  return read.ok ? "" : read.reason;
}

async function loginFault(credentialsFile: string): Promise<string> {
  const clock = createFakeClock();
  const auth = createAuth({ credentialsFile, subject: null, scope: gmailScope, endpoint: "none:", clock });
  return auth.token(new AbortController().signal).then(() => "", String);
}

async function pluginFault(file: string): Promise<string> {
  const loaded = await loadPlugin(file);
  return loaded.ok ? "" : loaded.message;
}

function transformFault(file: string): string {
  const resolved = resolveModule(dirname(file), file.slice(dirname(file).length + 1));
  return resolved.ok ? "" : resolved.message;
}

const thrown = (act: () => unknown): string => {
  try {
    act();
    return "";
  } catch (fault) {
    return String(fault);
  }
};

const readers: Readonly<Record<string, (file: string) => string | Promise<string>>> = {
  "the config": problemsOf,
  "a secret": problemsWithSecret,
  "an agent's instructions": instructionsFault,
  "the login for Gmail": loginFault,
  "the login for Gmail, read by a command": (file) => thrown(() => readCredentials(file)),
  "a channel's module": pluginFault,
  "a transform": transformFault,
};

let count = 0;
for (const [what, make] of Object.entries(irregular))
  test(`${what} is refused at once, and never waited for`, { timeout: 20_000 }, async () => {
    const file = path(`${count++}.mjs`);
    await make(file);
    for (const [name, read] of Object.entries(readers))
      assert.match(await read(file), /not a (?:regular )?file|outside of the agent's workspace|link/, name);
    assert.equal(await scanFiles([file]), await scanFiles([file]));
  });

test("a file without a size, like those of /proc, is read whole, and not beyond the limit", async () => {
  writeFileSync(path("large"), "x".repeat(4_194_305));
  for (const read of [async (file: string) => readRegularFileSync(file), readRegularFile]) {
    assert.match((await read("/proc/self/status")).toString(), /^Name:/);
    await assert.rejects(read(path("large")), /too large/);
  }
});

// A walk of mistakes: each likely mistake of a new user is made, and the message is compared whole. It has to name the
// place, what was expected, what came, and what to do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../support/folder.ts";
import { program as bin } from "../support/process.ts";
import { postgresVariable } from "../support/postgres.ts";
import { startTestGateway } from "../support/gateway.ts";
import { commandMistakes, sendMistakes } from "./commands.ts";
import { agentMistakes, mappingMistakes, settingMistakes, syntaxMistakes, tokenMistakes } from "./config.ts";
import { assertSays, loadCommands, make, type Mistake } from "./mistake.ts";
import { requestMistakes } from "./requests.ts";
import { homeMistakes, postgresMistakes, startBeside } from "./start.ts";

test("the commands load", (t) => loadCommands(t));

const suites: Readonly<Record<string, readonly Mistake[]>> = {
  "the syntax of the config": syntaxMistakes,
  settings: settingMistakes,
  tokens: tokenMistakes,
  mappings: mappingMistakes,
  agents: agentMistakes,
  "the home and the store": homeMistakes,
  "the command line": commandMistakes,
};

for (const [name, mistakes] of Object.entries(suites))
  suite(name, () => {
    for (const mistake of mistakes)
      test(mistake.name, async (t) => assertSays(await make(mistake, t), mistake));
  });

test("a gateway runs", async (t) => {
  const command = (id: string, program: string) => ({ id, kind: "command", command: program });
  const list = [{ id: "main" }, command("missing", "my-agent"), command("plain", "./agent.sh")];
  const gateway = await startTestGateway(t, { agents: { list } }, { files: { "agent.sh": "echo Hello\n" } });
  const { folder, url, token } = gateway;
  const beside = { port: Number(new URL(url).port), home: folder };
  const own = join(folder, "rouse.jsonc");
  for (const mistake of [...startBeside(beside), ...sendMistakes(url, own, await closedPort())])
    await t.test(mistake.name, async (inner) => {
      const { code, output } = await make(mistake, inner);
      assertSays({ code, output: output.replaceAll(folder, "OTHER") }, mistake);
    });
  for (const { name, request, status, ...said } of requestMistakes(token))
    await t.test(name, async () => {
      const response = await gateway.send(request);
      assert.deepEqual([response.status, response.json], [status, { ok: false, ...said }]);
    });
});

test("PostgreSQL", async (t) => {
  const url = process.env[postgresVariable] ?? "";
  for (const mistake of postgresMistakes(url, await closedPort()))
    await t.test(mistake.name, async (inner) => assertSays(await make(mistake, inner), mistake));
});

test("the wrong Node: in one line, with exit code 1, and never a syntax error", async (t) => {
  const folder = makeFolder("old-node");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const old = join(folder, "old.cjs");
  writeFileSync(
    old,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });',
  );
  const run = spawnSync(process.execPath, ["--require", old, bin, "start"], { encoding: "utf8" });
  assert.deepEqual(
    [run.status, run.stdout, run.stderr],
    [
      1,
      "",
      "rouse needs Node.js 24 or newer; this is 20.11.1. Install a newer one from https://nodejs.org, or in a checkout use its own: npm ci, then npm run rouse.\n",
    ],
  );
});

const page = fileURLToPath(new URL("../../docs/troubleshooting.md", import.meta.url));

test("the messages in docs/troubleshooting.md are those of ten mistakes", () => {
  const made = [
    ...Object.values(suites).flat(),
    ...startBeside({ port: 0, home: "" }),
    ...sendMistakes("", "", 0),
  ].map(({ says }) => says.replaceAll(/\b(?:HOME|OTHER)\b/g, "/home/ada/.rouse").replaceAll("PORT", "4665"));
  const refused = requestMistakes("").map(({ code, error, details }) =>
    JSON.stringify({ ok: false, code, error, details }),
  );
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```(text|json)\n([\s\S]*?)\n```$/gm)];
  const shown = blocks.map(([, kind, text = ""]) =>
    kind === "json" ? JSON.stringify(JSON.parse(text)) : text,
  );
  assert.equal(new Set(shown).size, 10);
  assert.deepEqual(
    shown.filter((message) => !made.includes(message) && !refused.includes(message)),
    [],
  );
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

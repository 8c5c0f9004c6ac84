// The examples work unchanged: their configs on a real gateway, with their payloads and headers, and the commands of
// their READMEs.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { dispatch } from "../../src/cli/dispatch.ts";
import { createTestContext } from "../fixtures/command-line.ts";
import { loadConfig } from "../../src/config/load.ts";
import { plainText } from "../../src/core/message.ts";
import { exampleWarnings, readExample } from "../../src/cli/explain/examples.ts";
import { compileMappings, type Mapping } from "../../src/hooks/mapping/compile.ts";
import { renderExample } from "../../src/hooks/mapping/examples.ts";
import { createSeen, type Seen } from "../../src/hooks/template/seen.ts";
import { commandFaults, commandsIn } from "../support/commands.ts";
import { filesUnder } from "../support/docs.ts";
import { env, examples, headersOf, startExample, textOf } from "../support/example.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const names = ["form", "github", "grafana", "stripe"];

const changed = (name: string, change: (payload: Record<string, unknown>) => void): string => {
  const payload = JSON.parse(textOf(name, "payload.json")) as Record<string, unknown>;
  change(payload);
  return JSON.stringify(payload);
};

async function runIdsOf(response: Response): Promise<string[]> {
  assert.equal(response.status, 202);
  const { runId, runIds } = (await response.json()) as { runId?: string; runIds?: string[] };
  return runIds ?? [runId ?? ""];
}

describe("the examples", { concurrency: 2 }, () => {
  test("github: an opened issue is a run, other events are 204", async (t) => {
    const example = await startExample(t, "github");
    const [runId = ""] = await runIdsOf(await example.post(textOf("github", "payload.json")));
    const { sessionKey, name, prompt } = await example.ended(runId);
    assert.equal(sessionKey, "hook:github:lighthouse-works/tide-table#214");
    assert.equal(name, "Issue lighthouse-works/tide-table#214");
    assert.match(prompt.outside, /^An issue was \[data 1\] in \[data 2\] by \[data 3\]/);
    assert.match(prompt.outside, /Say in three lines/);
    const shown = new Map(prompt.blocks.map(({ label, text }) => [label, text]));
    assert.equal(shown.get("issue.title"), "Tides for Cuxhaven are an hour late since the clock change");
    assert.match(shown.get("issue.body") ?? "", /^### What happened\n\nSince Sunday/);
    assert.ok([...shown.values()].includes("bug, time zones"));

    const closed = changed("github", (payload) => (payload["action"] = "closed"));
    assert.equal((await example.post(closed)).status, 204);
    const ping = { ...headersOf("github"), "X-GitHub-Event": "ping" };
    assert.equal((await example.post('{"zen":"Keep it simple.","hook_id":1}', ping)).status, 204);
    const requests = await example.store.listRequests({ limit: null });
    assert.deepEqual(
      requests.map(({ outcome }) => outcome),
      ["skipped", "skipped", "accepted"],
    );
  });

  test("grafana: one run for each alert", async (t) => {
    const example = await startExample(t, "grafana");
    const runIds = await runIdsOf(await example.post(textOf("grafana", "payload.json")));
    const runs = await Promise.all(runIds.map((id) => example.ended(id)));
    assert.deepEqual(
      runs.map(({ sessionKey }) => sessionKey),
      ["hook:grafana:b3c1f0a27d5e9468", "hook:grafana:5d9e8127aa04c6f3"],
    );
    const [firing, resolved] = runs;
    assert.match(firing?.prompt.outside ?? "", /^An alert fires: .* value 91\.4\./);
    assert.match(firing?.prompt.outside ?? "", /Change nothing\./);
    assert.match(resolved?.prompt.outside ?? "", /^An alert is over: .* value 72\.8\./);
    assert.doesNotMatch(firing?.prompt.whole ?? "", /web-2/);
    assert.doesNotMatch(resolved?.prompt.whole ?? "", /db-1/);
  });

  test("stripe: a paid invoice is a note, a failed payment a run, anything else 204", async (t) => {
    const example = await startExample(t, "stripe");
    const paid = await example.post(textOf("stripe", "payload.json"));
    const { mode, eventId } = (await paid.json()) as { mode: string; eventId: string };
    assert.deepEqual([paid.status, mode], [200, "next-heartbeat"]);
    const event = await example.store.findEvent(eventId);
    const text = "Sailmakers & Daughters paid invoice LW-2026-0318: 49 EUR (test mode).";
    assert.equal(event && plainText(event.text), text);

    const [runId = ""] = await runIdsOf(await example.post(textOf("stripe", "payment-failed.json")));
    const { sessionKey, prompt } = await example.ended(runId);
    assert.equal(sessionKey, "hook:stripe:cus_S2kQvJm4RtYxWb");
    assert.match(
      prompt.outside,
      /^A payment failed: \[data 1\], invoice \[data 2\], 49 \[data 3\], attempt 1\./,
    );
    const other = changed("stripe", (payload) => (payload["type"] = "invoice.created"));
    assert.equal((await example.post(other)).status, 204);
  });

  test("form: a message is a run, a robot's is 204", async (t) => {
    const example = await startExample(t, "form");
    const [runId = ""] = await runIdsOf(await example.post(textOf("form", "payload.json")));
    const { name, prompt } = await example.ended(runId);
    assert.equal(name, "Contact form");
    assert.match(prompt.outside, /^Somebody wrote through the contact form on \[data 1\]/);
    assert.match(prompt.outside, /Draft an answer/);
    assert.doesNotMatch(prompt.outside, /wheelchairs/);
    assert.ok(prompt.blocks.some(({ label, text }) => label === "message" && text.includes("wheelchairs")));
    const robot = changed("form", (payload) => (payload["website"] = "https://spam.example"));
    assert.equal((await example.post(robot)).status, 204);
  });

  for (const name of names) {
    test(`${name}: the commands of its README work`, async (t) => {
      const example = await startExample(t, name);
      const commands = commandsIn(textOf(name, "README.md"));
      const of = (verb: string) => commands.filter(([first]) => first === verb);
      for (const words of commands) assert.deepEqual(await commandFaults(words, root), []);
      assert.deepEqual([of("explain").length, of("serve").length, of("send").length], [1, 1, 1]);
      const headers = `examples/${name}/headers.txt`;
      if (existsSync(join(root, headers)))
        for (const verb of ["explain", "send"]) assert.ok(of(verb)[0]?.includes(headers), verb);
      const placed = (word: string) =>
        word.endsWith("rouse.jsonc")
          ? example.config
          : word.startsWith("examples/")
            ? join(root, word)
            : word;
      const ours = (words: readonly string[] = []) => words.map(placed);
      const explained = await rouse(ours(of("explain")[0]));
      assert.equal(explained.code, 0, explained.stderr);
      assert.match(explained.stdout, /would be accepted/);
      const sent = await rouse([...ours(of("send")[0]), "--url", example.url]);
      assert.equal(sent.code, 0, sent.stderr);
      const looking = commands.filter(([verb = ""]) => ["runs", "events", "requests"].includes(verb));
      for (const words of looking) assert.equal((await rouse(ours(words))).code, 0, words.join(" "));
    });
  }
});

describe("every reference of every example mapping is met by one of its payloads", () => {
  for (const name of names)
    test(name, async () => {
      const file = join(examples, name, "rouse.jsonc");
      const loaded = loadConfig(file, env);
      assert.ok(loaded.ok);
      const { mappings, faults } = compileMappings(loaded.config.hooks.mappings);
      assert.deepEqual(faults, []);
      assert.deepEqual(await exampleWarnings(loaded, mappings, 0), []);
      for (const mapping of mappings) {
        assert.ok(mapping.examples.length > 0, `${mapping.id} has an example`);
        const { met, missing } = await seenInExamples(mapping);
        assert.deepEqual([...missing.keys()], [], mapping.id);
        const sources = Object.values(
          loaded.config.hooks.mappings.find(({ id }) => id === mapping.id)!.templates,
        );
        const named = sources.flatMap((source) => [...(source ?? "").matchAll(/\{\{\s*([^\s|}]+)/g)]);
        assert.ok(named.length > 0);
        // Those in conditions, too: an example shows each branch.
        for (const [, reference = ""] of named) assert.ok(met.has(reference), `${mapping.id}: ${reference}`);
      }
    });
});

async function seenInExamples(mapping: Mapping): Promise<Seen> {
  const seen = createSeen();
  for (const file of mapping.examples) {
    const example = await readExample(mapping, file, 0);
    assert.ok(typeof example !== "string");
    for (const template of Object.values(mapping.templates))
      if (template !== null) renderExample(mapping, template, example.request, seen);
  }
  return seen;
}

async function rouse(argv: readonly string[]) {
  const { context, written } = createTestContext(argv, { env });
  const code = await dispatch(context);
  return { code, ...written };
}

test("every folder of examples is tested here or beside its code, and every JSON file parses", () => {
  const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    folders.map((folder) => folder.name).toSorted(),
    [...names, "agents", "channels", "senders", "transforms"].toSorted(),
  );
  const files = filesUnder(root, "examples", ".json");
  assert.deepEqual(
    // Those of senders are tested with the mappings that take them (src/cli/senders/ready.test.ts).
    files
      .map(({ path }) => path.replace(/^.*examples\//, ""))
      .filter((path) => !path.startsWith("senders/"))
      .toSorted(),
    [...names.map((name) => `${name}/payload.json`), "stripe/payment-failed.json"].toSorted(),
  );
  for (const { path, text } of files) assert.doesNotThrow(() => void JSON.parse(text), path);
});

// The admin API: the config file is read without its secrets, and replaced as a whole.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startApiGateway, type ApiGateway } from "../fixtures/api-gateway.ts";

type Fields = Record<string, unknown>;

const fileOf = ({ gateway }: ApiGateway): string => join(gateway.folder, "rouse.jsonc");
const textOf = (one: ApiGateway): string => readFileSync(fileOf(one), "utf8");

async function read({ api }: ApiGateway): Promise<{ text: string; etag: string; json: Fields }> {
  const { json, headers } = await api.expect(200, "/config");
  return { text: String(json["text"]), etag: headers.get("etag")!, json };
}

const put = (text: string, etag?: string) => ({
  method: "PUT",
  body: { text },
  ...(etag !== undefined && { headers: { "If-Match": etag } }),
});

test("the file is shown without a secret, and comes back byte by byte when nothing was changed", async (t) => {
  const one = await startApiGateway(t);
  const before = textOf(one);
  const { text, etag, json } = await read(one);
  assert.deepEqual([json["differs"], json["restart"]], [false, []]);
  assert.match(text, /"token": "<hidden [\w-]+>"/);
  const { mode } = statSync(fileOf(one));
  const written = await one.api.expect(200, "/config", put(text, etag));
  assert.deepEqual([written.json["taken"], written.headers.get("etag")], [true, etag]);
  assert.equal(textOf(one), before);
  assert.equal(statSync(fileOf(one)).mode, mode);
});

test("a change is written with its comments, taken up, and says what needs a restart", async (t) => {
  const one = await startApiGateway(t);
  const { text, etag } = await read(one);
  const edited = text
    .replace('"textTemplate": "Build {{ state }}"', '"textTemplate": "The build is {{ state }}" // in words')
    .replace('"drainSeconds": 0', '"drainSeconds": 0, "maxConnections": 77');
  assert.notEqual(edited, text);
  const { json, headers } = await one.api.expect(200, "/config", put(edited, etag));
  assert.deepEqual([json["taken"], json["restart"]], [true, ["gateway.maxConnections"]]);
  assert.match(textOf(one), /\/\/ in words/);
  assert.match(textOf(one), /gateway-token-that-is-long-enough/);
  const tried = await one.api.expect(200, "/hooks/build/try", {
    method: "POST",
    body: { payload: { state: "red" } },
  });
  assert.match(tried.text, /The build is red/);
  assert.equal((await read(one)).etag, headers.get("etag"));
  await one.api.expect(200, "/config", put((await read(one)).text, headers.get("etag")!));
});

test("of two writers at once one is told that the file has changed; without If-Match nothing is written", async (t) => {
  const one = await startApiGateway(t);
  const { text, etag } = await read(one);
  const edits = ["one", "two"].map((word) => text.replace("Build {{ state }}", `${word} {{ state }}`));
  const answers = await Promise.all(edits.map((edited) => one.api.ask("/config", put(edited, etag))));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.equal(statuses[0], 200);
  assert.equal(statuses[1], 412);
  const refused = answers.find(({ status }) => status === 412)!;
  assert.equal(refused.json["code"], "precondition-failed");
  assert.equal(refused.headers.get("etag"), (await read(one)).etag);
  const present = textOf(one);
  assert.equal((await one.api.expect(428, "/config", put(text))).json["code"], "precondition-required");
  await one.api.expect(428, "/config", put(text, "*"));
  await one.api.expect(412, "/config", put(text, '"another"'));
  assert.equal(textOf(one), present);
});

test("a text with problems is refused with all of them, and nothing is written", async (t) => {
  const one = await startApiGateway(t);
  const before = textOf(one);
  const { text, etag } = await read(one);
  const edited = text
    .replace('"drainSeconds": 0', '"drainSeconds": -1, "porrt": 5')
    .replace("Build {{ state }}", "Build {{ state | nonsense }}");
  const { json } = await one.api.expect(422, "/config", put(edited, etag));
  const paths = (json["details"] as Fields[]).map(({ path }) => String(path));
  assert.deepEqual(paths.toSorted(), ["gateway.drainSeconds", "gateway.porrt"]);
  const template = text.replace("Build {{ state }}", "Build {{ state | nonsense }}");
  const later = await one.api.expect(422, "/config", put(template, etag));
  assert.match(later.text, /hooks\.mappings\[1\]\.textTemplate/, "what only the gateway can say");
  assert.match((await one.api.expect(422, "/config", put(text.slice(0, 50), etag))).text, /line/);
  assert.equal(textOf(one), before);
  const checked = await one.api.expect(200, "/config/check", { method: "POST", body: { text: edited } });
  assert.deepEqual([checked.json["ok"], (checked.json["problems"] as Fields[]).length], [false, 2]);
  const good = await one.api.expect(200, "/config/check", { method: "POST", body: { text } });
  assert.deepEqual([good.json["ok"], good.json["problems"], good.json["restart"]], [true, [], []]);
});

test("a hidden secret cannot be moved to where it would be shown", async (t) => {
  const one = await startApiGateway(t);
  const { text, etag } = await read(one);
  const mark = /<hidden [\w-]+>/.exec(text)![0];
  const moved = text.replace("Build {{ state }}", mark);
  const { json } = await one.api.expect(422, "/config", put(moved, etag));
  assert.match(JSON.stringify(json["details"]), /cannot be moved to a setting that is no secret/);
});

test("while the file is not the one that the node runs with, it is 409", async (t) => {
  const one = await startApiGateway(t);
  writeFileSync(fileOf(one), textOf(one).replace('"drainSeconds": 0', '"drainSeconds": -1'));
  const { text, etag, json } = await read(one);
  assert.equal(json["differs"], true);
  const { json: refused } = await one.api.expect(409, "/config", put(text, etag));
  assert.equal(refused["code"], "config-differs");
  writeFileSync(fileOf(one), "{");
  assert.equal((await one.api.expect(409, "/config")).json["code"], "config-differs");
});

test("each write is in the audit, without a word of the file", async (t) => {
  const one = await startApiGateway(t);
  const { text, etag } = await read(one);
  await one.api.expect(200, "/config", put(text, etag));
  await one.api.expect(428, "/config", put(text));
  await one.api.expect(200, "/config/check", { method: "POST", body: { text } });
  const { items } = (await one.api.expect(200, "/audit")).json as { items: Fields[] };
  assert.deepEqual(
    items.map(({ actor, verb, subject, outcome }) => [actor, verb, subject, outcome]),
    [
      ["token", "config.write", "config", "refused"],
      ["token", "config.write", "config", "done"],
    ],
  );
});

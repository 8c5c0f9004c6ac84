import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderConfig } from "../../config/config.ts";
import { capturingFetch, going, startServer, inputFor } from "../../../test/fixtures/model-server.ts";
import { chooseModel } from "./providers.ts";

const { server, agent, models } = await startServer();
server.onMessage("Hello.", { content: "Good day." });

const refused = (id: string | null) => {
  const chosen = chooseModel(id, models.providers);
  assert.ok(!chosen.ok);
  return chosen.reason;
};

test("an id that is not provider/model, or names an unknown provider, is refused with a reason", () => {
  assert.match(refused(null), /no model is configured/);
  for (const id of ["gpt-5", "/gpt-5", "openai/"])
    assert.match(refused(id), /not written as provider\/model/);
  for (const id of ["nobody/gpt-5", "toString/x", "__proto__/x", "gateway/openai/gpt-5"])
    assert.match(refused(id), /not in models\.providers/);
  assert.ok(refused(`nobody/${"x".repeat(500)}`).length < 200);
});

test("an id is split at its first slash", () => {
  const chosen = chooseModel("local/meta/llama", models.providers);
  assert.ok(chosen.ok);
  assert.deepEqual([chosen.provider, chosen.kind, chosen.name], ["local", "openai-compatible", "meta/llama"]);
});

const ask = (provider: ProviderConfig, fetch: typeof globalThis.fetch) =>
  agent({ models: { providers: { mine: provider } }, model: "mine/small", fetch }).run(
    inputFor("Hello."),
    going(),
  );

test("a server that needs no key is sent none", async () => {
  const { sent, fetch } = capturingFetch();
  const outcome = await ask({ kind: "openai-compatible", baseUrl: `${server.url}/v1`, apiKey: null }, fetch);
  assert.equal(outcome.kind, "replied");
  assert.equal(sent[0]?.headers.get("authorization"), null);
});

test("keys and addresses never come from the environment", async (context) => {
  const names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"];
  const addresses = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"];
  context.after(() => [...names, ...addresses].forEach((name) => delete process.env[name]));
  for (const name of names) process.env[name] = "key-of-the-environment";
  for (const name of addresses) process.env[name] = "http://127.0.0.1:9/v1";
  const hosts: string[] = [];
  const offline: typeof fetch = async (input, init) => {
    assert.ok(!JSON.stringify([...new Headers(init?.headers)]).includes("environment"));
    hosts.push(new URL(input instanceof Request ? input.url : input).host);
    return new Response("{}", { status: 503 });
  };
  for (const kind of ["openai", "anthropic", "google"] as const) {
    await ask({ kind, baseUrl: null, apiKey: "mine" }, offline);
    await ask({ kind, baseUrl: "http://127.0.0.1:8/v1", apiKey: null }, offline);
    const outcome = await ask({ kind, baseUrl: null, apiKey: null }, offline);
    assert.ok(outcome.kind === "failed" && outcome.reason === "the provider mine has no apiKey");
  }
  const own = "127.0.0.1:8";
  assert.deepEqual(hosts, [
    "api.openai.com",
    own,
    "api.anthropic.com",
    own,
    "generativelanguage.googleapis.com",
    own,
  ]);
});

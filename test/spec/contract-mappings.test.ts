// Contract, sections 2 and 6, and specification, section 4: which mapping takes a request, and its response.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, mapping, messageOf, runOf } from "../support/mapped.ts";

/** The head of a request whose body never arrives. */
const headOf = (gateway: TestGateway, name: string): string =>
  [
    `POST /hooks/${name} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${gateway.token}`,
    "Content-Length: 20",
    "",
    "",
  ].join("\r\n");

describe("which mapping takes a request", { concurrency: 2 }, () => {
  test("match.path", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        mappings: [
          mapping("github"),
          mapping("ci/main/build"),
          mapping("slashed", { match: { path: "/slashed/" } }),
          mapping("Upper"),
        ],
      },
    });
    const takenBy = async (name: string) => messageOf(gateway, await gateway.post(name, {}));

    await t.test("is exact, may have several segments, and loses slashes at its ends", async () => {
      assert.equal(await takenBy("github"), "taken by github");
      assert.equal(await takenBy("ci/main/build"), "taken by ci/main/build");
      assert.equal(await takenBy("slashed"), "taken by slashed");
    });

    await t.test("a trailing slash and a query are no part of the name", async () => {
      for (const target of ["github/", "github?x=1", "github/?x=1", "ci/main/build/"])
        assert.equal((await gateway.post(target, {})).status, 202, target);
    });

    await t.test("another name is 404, before one byte of the body is read", async () => {
      for (const name of ["gitlab", "github/push", "ci/main", "upper", "GITHUB", "git%68ub", ""]) {
        const response = await gateway.raw(headOf(gateway, name)).next();
        assert.deepEqual(codeOf(response), [404, "unknown-hook"], name);
      }
    });

    await t.test("ambiguous paths are 404", async () => {
      for (const name of ["ci//main/build", "ci/./main/build", "x/../github", "ci%2Fmain%2Fbuild"])
        assert.equal((await gateway.post(name, {})).status, 404, name);
    });

    await t.test("the token comes first: without it a mapped name is 401 like any other", async () => {
      for (const name of ["github", "gitlab"])
        assert.equal((await gateway.send({ target: `/hooks/${name}`, body: "{}" })).status, 401);
    });

    await t.test("only POST", async () => {
      const response = await gateway.send({ method: "GET", target: "/hooks/github" });
      assert.deepEqual([response.status, response.headers["allow"]], [405, "POST"]);
    });
  });

  test("match.source", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        mappings: [
          mapping("billing", { match: { path: "ingest", source: "billing" } }),
          mapping("orders", { match: { path: "ingest", source: "orders" } }),
          mapping("anywhere", { match: { source: "anywhere" } }),
          mapping("by-name", { match: { path: "plain" } }),
        ],
      },
    });
    const takenBy = async (name: string, payload: unknown) =>
      messageOf(gateway, await gateway.post(name, payload));

    await t.test("one endpoint routes by the payload's source", async () => {
      assert.equal(await takenBy("ingest", { source: "billing" }), "taken by billing");
      assert.equal(await takenBy("ingest", { source: "orders" }), "taken by orders");
    });

    await t.test("without a path, it takes any name that is not built in", async () => {
      assert.equal(await takenBy("ingest", { source: "anywhere" }), "taken by anywhere");
      assert.equal(await takenBy("some/other", { source: "anywhere" }), "taken by anywhere");
    });

    await t.test("the first that fits wins, path or source", async () => {
      assert.equal(await takenBy("plain", { source: "anywhere" }), "taken by anywhere");
      assert.equal(await takenBy("plain", { source: "billing" }), "taken by by-name");
    });

    await t.test(
      "both must fit: another source, none, or one that is no text is 404 after the body",
      async () => {
        for (const payload of [{ source: "Billing" }, { source: 1 }, {}, [], "billing", null])
          assert.deepEqual(codeOf(await gateway.post("ingest", JSON.stringify(payload))), [
            404,
            "unknown-hook",
          ]);
        assert.deepEqual(codeOf(await gateway.post("elsewhere", { source: "billing" })), [
          404,
          "unknown-hook",
        ]);
        assert.deepEqual(codeOf(await gateway.post("elsewhere", "{broken")), [400, "invalid-json"]);
      },
    );

    await t.test("a source that is only inherited is none", async () => {
      const payload = '{"__proto__":{"source":"billing"}}';
      assert.equal((await gateway.post("ingest", payload)).status, 404);
    });

    await t.test("of a 404 with a right token its request is kept, and nothing else", async () => {
      const refused = await gateway.waitFor("the records", async () => {
        const kept = await gateway.inspect.listRequests({ limit: null });
        const found = kept.filter(({ reason }) => reason?.startsWith("unknown-hook"));
        return found.length >= 3 && found;
      });
      assert.deepEqual([...new Set(refused.map(({ outcome }) => outcome))], ["refused"]);
      for (const { runIds, eventIds } of refused) assert.deepEqual([runIds, eventIds], [[], []]);
    });
  });

  test("order, the catch-all, presets and built-in names", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        presets: ["gmail"],
        mappings: [
          mapping("own", { match: { path: "gmail", source: "own" } }),
          mapping("rest", { match: { headers: { "x-rest": "yes" } } }),
          mapping("late", { match: { path: "late" } }),
        ],
      },
    });
    const mail = { source: "gmail", messages: [{ id: "m1" }] };

    await t.test("mappings come before presets, and presets take the rest", async () => {
      const own = await gateway.post("gmail", { ...mail, source: "own" });
      assert.equal(await messageOf(gateway, own), "taken by own");
      const preset = await gateway.post("gmail", mail);
      assert.deepEqual([preset.status, (preset.json["runIds"] as unknown[]).length], [202, 1]);
    });

    await t.test("the first in the list wins over a narrower one behind it", async () => {
      const early = await gateway.post("late", {}, ["X-Rest: yes"]);
      assert.equal(await messageOf(gateway, early), "taken by rest");
      assert.equal(await messageOf(gateway, await gateway.post("late", {})), "taken by late");
    });

    await t.test("built-in names win over a catch-all", async () => {
      const headers = ["X-Rest: yes"];
      const wake = await gateway.post("wake", { text: "t", mode: "next-heartbeat" }, headers);
      assert.deepEqual([wake.status, typeof wake.json["eventId"]], [200, "string"]);
      const agent = await gateway.post("agent", { message: "m", deliver: false }, headers);
      assert.equal(await messageOf(gateway, agent), "m");
      assert.equal((await gateway.post("agent", { message: 1 }, headers)).status, 400);
    });
  });

  test("without a match a mapping takes every name that is not built in", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { mappings: [{ messageTemplate: "at {{ path }}", deliver: false }] },
    });
    for (const name of ["anything", "a/b/c", "Wake", "agent/x"]) {
      const response = await gateway.post(name, {});
      assert.equal(await messageOf(gateway, response), `at ${name}`);
      assert.equal((await runOf(gateway, response)).hook, name);
    }
    assert.equal((await gateway.post("", {})).status, 404, "a hook has a name");
    assert.equal((await gateway.post("x".repeat(201), {})).status, 404, "of at most 200 characters");
  });
});

// Contract, sections 2 and 6: mappings that cannot work are reported before the first request.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadSettings, startTestGateway } from "../support/gateway.ts";
import { mapping } from "../support/mapped.ts";

const token = "a-hook-token-that-is-long-enough";

describe("a config with mappings that cannot work", () => {
  const problemsOf = (t: Parameters<typeof loadSettings>[0], hooks: object) => {
    const loaded = loadSettings(t, { hooks: { enabled: true, token, ...hooks } });
    return loaded.ok ? [] : loaded.problems;
  };

  test("a mapping that can never be reached is a problem", (t) => {
    const hidden = [
      [mapping("a"), mapping("b", { match: { path: "a" } })],
      [mapping("a"), mapping("b", { match: { path: "a", source: "s" } })],
      [{ messageTemplate: "all" }, mapping("b")],
      [mapping("a", { match: { source: "s" } }), mapping("b", { match: { path: "p", source: "s" } })],
    ];
    for (const mappings of hidden) {
      const [problem] = problemsOf(t, { mappings });
      assert.equal(problem?.path, "hooks.mappings[1]");
      assert.match(problem.message, /can never be reached/);
      assert.ok(problem.line, "with its line");
    }
    for (const path of ["wake", "agent", "/wake/", "a//b", "a/../b", "a b", "a?b"]) {
      const [problem] = problemsOf(t, { mappings: [mapping("m", { match: { path } })] });
      assert.equal(problem?.path, "hooks.mappings[0].match.path", path);
      assert.match(problem.message, /can never be reached/);
    }
  });

  test("a mapping with filters leaves requests for the next", (t) => {
    const filtered = mapping("a", { match: { path: "p", payload: { x: 1 } } });
    assert.deepEqual(problemsOf(t, { mappings: [filtered, mapping("b", { match: { path: "p" } })] }), []);
  });

  test("a preset that the user's own mapping hides is a warning", (t) => {
    const settings = { presets: ["gmail"], mappings: [mapping("gmail")] };
    const loaded = loadSettings(t, { hooks: { enabled: true, token, ...settings } });
    assert.ok(loaded.ok);
    const warning = loaded.warnings.find(({ path }) => path === "hooks.presets[0]");
    assert.match(warning?.message ?? "", /can never be reached/);
  });

  test("an unknown key is a problem, with the nearest known one", (t) => {
    for (const [key, meant] of [
      ["messageTemplat", "messageTemplate"],
      ["sesionKey", "sessionKey"],
      ["foreach", "forEach"],
    ] as const) {
      const [problem] = problemsOf(t, { mappings: [{ [key]: "x" }] });
      assert.equal(problem?.path, `hooks.mappings[0].${key}`);
      assert.match(problem.message, new RegExp(`did you mean \`${meant}\``));
    }
    const [inside] = problemsOf(t, { mappings: [{ match: { paths: "x" } }] });
    assert.match(inside?.message ?? "", /did you mean `path`/);
  });

  test("invalid values are problems", (t) => {
    const wrong: [string, object][] = [
      ["action", { action: "run" }],
      ["wakeMode", { wakeMode: "later" }],
      ["channel", { channel: "pigeon" }],
      ["deliver", { deliver: "yes" }],
      ["timeoutSeconds", { timeoutSeconds: 0 }],
      ["forEach", { forEach: "a..b" }],
      ["allowUnsafeExternalContent", { allowUnsafeExternalContent: "true" }],
    ];
    for (const [key, setting] of wrong)
      assert.deepEqual(
        problemsOf(t, { mappings: [{ messageTemplate: "m", ...setting }] }).map(({ path }) => path),
        [`hooks.mappings[0].${key}`],
      );
    const ids = problemsOf(t, { mappings: [mapping("a"), mapping("a", { match: { path: "b" } })] });
    assert.deepEqual(
      ids.map(({ path }) => path),
      ["hooks.mappings[1].id"],
    );
    assert.equal(problemsOf(t, { presets: ["outlook"] })[0]?.path, "hooks.presets[0]");
  });

  test("headers that carry secrets cannot be matched", (t) => {
    for (const header of ["authorization", "X-Gateway-Token", "Cookie"]) {
      const [problem] = problemsOf(t, {
        mappings: [mapping("m", { match: { headers: { [header]: "x" } } })],
      });
      assert.match(problem?.message ?? "", /carries secrets/, header);
    }
  });

  test("a template that cannot be parsed keeps the gateway from starting, and its line is named", async (t) => {
    for (const [template, expected] of [
      ["first\n{{ a | nofilter }}", /hooks\.mappings\[0\]\.messageTemplate: .*nofilter.*line 2, column/],
      ["one\ntwo\n{% if a %}", /line 3, column 1 of the template/],
      ["{% include 'x' %}", /include/],
      ["{{ a", /is not closed/],
    ] as const) {
      const settings = { hooks: { mappings: [mapping("m", { messageTemplate: template })] } };
      await assert.rejects(startTestGateway(t, settings), { name: "UsageError", message: expected });
    }
  });

  test("every wrong template is reported at once", async (t) => {
    const settings = { hooks: { mappings: [mapping("m", { name: "{{", sessionKey: "{% x %}", to: "ok" })] } };
    await assert.rejects(startTestGateway(t, settings), ({ message }: Error) => {
      assert.match(message, /mappings\[0\]\.name: /);
      assert.match(message, /mappings\[0\]\.sessionKey: /);
      return true;
    });
  });
});

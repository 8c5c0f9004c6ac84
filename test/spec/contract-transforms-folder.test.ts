// Contract, section 6: the folder of the transforms, and changes of its files.
import assert from "node:assert/strict";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestGateway } from "../support/gateway.ts";
import { mapping, moduleOf, runOf } from "../support/mapped.ts";

describe("the transforms folder", { concurrency: 2 }, () => {
  const start = (t: Parameters<typeof startTestGateway>[0], module: string, files = {}, more: object = {}) =>
    startTestGateway(
      t,
      { hooks: { mappings: [mapping("m", { transform: { module } })], ...more } },
      { files: { "transforms/good.mjs": moduleOf(""), "outside.mjs": moduleOf(""), ...files } },
    );

  test("hooks.transformsDir names another one, relative to the config", async (t) => {
    const gateway = await start(t, "x.mjs", { "code/x.mjs": moduleOf("") }, { transformsDir: "./code" });
    assert.equal((await gateway.post("m", {})).status, 202);
  });

  test("a module that cannot be used is a config error at the start, with its path", async (t) => {
    const unusable: [string, object, RegExp][] = [
      ["../outside.mjs", {}, /hooks\.mappings\[0\]\.transform: \.\.\/outside\.mjs is not a path inside/],
      ["/etc/hosts.mjs", {}, /not a path inside/],
      ["~/x.mjs", {}, /not a path inside/],
      ["file:///x.mjs", {}, /not a path inside/],
      ["gone.mjs", {}, /There is no gone\.mjs/],
      ["good.cjs", {}, /not a \.js, \.mjs or \.ts file/],
      ["broken.mjs", { "transforms/broken.mjs": "export default (" }, /cannot be loaded: SyntaxError/],
      [
        "throws.mjs",
        { "transforms/throws.mjs": "throw new Error('at load');" },
        /cannot be loaded: .*at load/,
      ],
      ["none.mjs", { "transforms/none.mjs": "export const x = 1;" }, /no default export: it exports x/],
      ["value.mjs", { "transforms/value.mjs": "export default 5;" }, /a number, not a function/],
    ];
    for (const [module, files, expected] of unusable)
      await assert.rejects(start(t, module, files), { name: "UsageError", message: expected }, module);
  });

  test("a link is followed, and one that leads outside is a config error", async (t) => {
    const linked = async (target: string) => {
      const gateway = await start(t, "good.mjs");
      const link = join(gateway.folder, "transforms", "good.mjs");
      writeFileSync(join(gateway.folder, "transforms", "inside.mjs"), moduleOf("return { name: 'inside' };"));
      rmSync(link);
      symlinkSync(join(gateway.folder, target), link);
      return gateway;
    };
    const inside = await linked("transforms/inside.mjs");
    await inside.restart();
    assert.equal((await runOf(inside, await inside.post("m", {}))).request.name, "inside");
    const outside = await linked("outside.mjs");
    await assert.rejects(outside.restart(), { name: "UsageError", message: /a link that leads out of/ });
  });

  test("an edited file is picked up; a broken one is logged, and the last good one stays in use", async (t) => {
    const gateway = await startTestGateway(
      t,
      { hooks: { mappings: [mapping("edited", { transform: { module: "edited.mjs" } }), mapping("plain")] } },
      { watchMs: 20, files: { "transforms/edited.mjs": moduleOf("return { name: 'one' };") } },
    );
    const named = (name: string) =>
      moduleOf(`if (input.payload.exit) process.exit(); return { name: '${name}' };`);
    const edit = (text: string) => writeFileSync(join(gateway.folder, "transforms", "edited.mjs"), text);
    const nameNow = async () => (await runOf(gateway, await gateway.post("edited", {}))).request.name;
    const logged = (pattern: RegExp) =>
      gateway.waitFor(`the log to say ${pattern.source}`, async () =>
        gateway.logLines.some((line) => pattern.test(line)),
      );
    assert.equal(await nameNow(), "one");

    edit(named("two"));
    await gateway.waitFor("the edited module", async () => (await nameNow()) === "two");

    edit("export default (");
    await logged(/"hooks\.mappings\[0\]\.transform"/);
    await logged(/the old one goes on serving/);
    assert.equal(await nameNow(), "two");
    assert.equal((await gateway.post("plain", {})).status, 202);
    assert.equal((await gateway.post("edited", { exit: true })).status, 500);
    assert.equal(await nameNow(), "two", "in a new thread, too");

    edit(named("three"));
    await gateway.waitFor("the mended module", async () => (await nameNow()) === "three");
  });
});

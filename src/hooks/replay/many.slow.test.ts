import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import { createFakeClock, eventually } from "../../../test/fakes/clock.ts";
import { createFolder } from "../../../test/fixtures/command-line.ts";
import { type ReplayScene, replayScene, settingsOf } from "../../../test/fixtures/replays.ts";
import { mapping, moduleOf } from "../../../test/support/mapped.ts";
import { bothStores } from "../../../test/support/stores.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { StoreUnavailable } from "../../core/errors.ts";
import { acceptRuns, claim } from "../../store/ports/harness.contract.ts";
import { compareRequests, type Difference } from "./compare.ts";
import { type ManyResult, replayMany } from "./many.ts";
import { planReplay } from "./plan.ts";
import type { Selection } from "./selection.ts";

const all: Selection = { hooks: [], since: 0, until: 1e15, outcomes: [], statuses: [], limit: null };

for (const [name, open] of Object.entries(bothStores))
  describe(`many replays on ${name}`, () => {
    const sceneOf = async (t: TestContext, hooks: object = {}, agents: object = {}) =>
      replayScene(await open(t), await settingsOf(t, hooks, agents));

    const planOf = (
      { store, clock, deps }: ReplayScene,
      selection: Partial<Selection> = {},
      { again = false } = {},
    ) => {
      const options = { store: store, settings: deps.settings(), now: clock.now() };
      return planReplay({ ...all, ...selection }, options, { again });
    };

    type Parts = {
      clock?: Clock;
      perMinute?: number;
      batch?: string;
      onlyOnce?: boolean;
      stop?: AbortController;
    };
    const manyOf = (
      { deps, store }: ReplayScene,
      ids: readonly string[],
      {
        clock = systemClock,
        perMinute = 60_000,
        batch = "b",
        onlyOnce = true,
        stop = new AbortController(),
      }: Parts = {},
    ) => {
      const results: ManyResult[] = [];
      const onEach = (result: ManyResult) => void results.push(result);
      const options = { ids, batch, onlyOnce, perMinute, signal: stop.signal, onEach };
      return { results, end: replayMany(options, { ...deps, store, clock }) };
    };

    const agents = { list: [{ id: "main", default: true }, { id: "helper" }] };
    const ci = ["main", "helper"].map((who) =>
      mapping("ci", {
        id: `ci-${who}`,
        match: { path: "ci", payload: { state: "red", who } },
        agentId: who,
        forEach: "jobs",
      }),
    );

    test("a plan decides each request, stores nothing, and says what cannot be replayed", async (t) => {
      const scene = await sceneOf(t, { mappings: ci }, agents);
      const red = (who: string, jobs: number) =>
        scene.keep({ hook: "ci", body: JSON.stringify({ state: "red", who, jobs: Array(jobs).fill(1) }) });
      const ids = [await red("main", 2), await red("helper", 1), await red("main", 0)];
      ids.push(await scene.keep({ hook: "ci", body: '{"state":"green"}' }));
      ids.push(await scene.keep({ body: "{}" }));
      await scene.keep({ body: null, bytes: 70_000 });
      await scene.keep({ hook: "gone" });
      await scene.keep({ hook: "ci", origin: "replay" });
      await scene.keep({ hook: "ci", outcome: "repeated" });
      const plan = await planOf(scene);
      assert.deepEqual(plan, {
        ids,
        replayedBefore: 0,
        cannot: {
          "its body was not kept: it has 70000 bytes, and hooks.keepRequestBytes is 65536": 1,
          "no mapping of the configuration takes the hook gone": 1,
        },
        hooks: { ci: 4, agent: 1 },
        outcomes: { accepted: 2, skipped: 2, refused: 1 },
        agents: { main: 2, helper: 1 },
        runs: 3,
        undecided: 0,
        pastAgents: [],
        estimate: { inputTokens: 0, outputTokens: 0, cost: 0, basedOnRuns: 0 },
      });
      assert.deepEqual(await scene.store.listRuns({ kind: "hook", limit: null }), []);
      assert.deepEqual((await planOf(scene, { limit: 2 })).ids, ids.slice(0, 2), "the oldest");
      assert.deepEqual((await planOf(scene, { hooks: ["agent"], outcomes: ["skipped"] })).ids, ids.slice(4));
    });

    test("a plan estimates from the past runs of the hook, and runs no transform", async (t) => {
      const { folder } = createFolder(t);
      writeFileSync(
        join(folder, "acts.js"),
        `import { writeFileSync } from "node:fs";\n${moduleOf(`writeFileSync(${JSON.stringify(join(folder, "acted"))}, "");`)}`,
      );
      const acting = mapping("acting", { transform: { module: "acts.js" } });
      const scene = await sceneOf(t, { transformsDir: folder, mappings: [acting] }, agents);
      for (const cost of [1, 3]) {
        const run = aRun({ hook: "acting", agentId: "helper" });
        await acceptRuns(scene.store, run);
        await claim(scene.store);
        const report = {
          inputTokens: 10,
          outputTokens: 4,
          cost,
          warnings: [],
          toolsGranted: [],
          toolsUsed: [],
        };
        await scene.store.settleRun({ ...run, lease: "lease" }, aSettlement({ report }));
      }
      await acceptRuns(scene.store, aRun({ hook: "acting", agentId: "main" }));
      for (let count = 0; count < 3; count++) await scene.keep({ hook: "acting" });
      const { undecided, pastAgents, estimate, outcomes } = await planOf(scene);
      assert.deepEqual([undecided, pastAgents, outcomes], [3, ["helper"], {}]);
      assert.deepEqual(estimate, { inputTokens: 30, outputTokens: 12, cost: 6, basedOnRuns: 2 });
      assert.ok(!existsSync(join(folder, "acted")));
    });

    test("they come oldest first, at the rate that was asked for", async (t) => {
      const scene = await sceneOf(t);
      const ids: string[] = [];
      for (const message of ["a", "b", "c"])
        ids.push(await scene.keep({ body: JSON.stringify({ message }) }));
      const clock = createFakeClock();
      const { results, end } = manyOf(scene, ids, { clock, perMinute: 30 });
      await eventually(() => results.length === 1 && clock.waiting() === 1);
      await clock.advance(1999);
      assert.equal(results.length, 1);
      await clock.advance(1);
      await eventually(() => results.length === 2 && clock.waiting() === 1);
      await clock.advance(2000);
      assert.deepEqual(await end, { done: 3, stopped: null });
      assert.deepEqual(
        results.map(({ replayOf }) => replayOf),
        ids,
      );
    });

    test("stopped in the middle, the batch goes on with what is left", async (t) => {
      const scene = await sceneOf(t, { mappings: ci }, agents);
      const skipped = await scene.keep({ hook: "ci", body: '{"state":"green"}' });
      const ids = [skipped];
      for (const message of ["a", "b", "c"])
        ids.push(await scene.keep({ body: JSON.stringify({ message }) }));
      const stop = new AbortController();
      const clock = createFakeClock();
      const first = manyOf(scene, ids, { clock, perMinute: 60, stop });
      await eventually(() => first.results.length === 1 && clock.waiting() === 1);
      await clock.advance(1000);
      await eventually(() => first.results.length === 2 && clock.waiting() === 1);
      stop.abort();
      assert.deepEqual(await first.end, { done: 2, stopped: "signal" });
      assert.equal(clock.waiting(), 0);

      const rest = manyOf(scene, ids);
      assert.deepEqual(await rest.end, { done: 4, stopped: null });
      assert.deepEqual(rest.results.slice(0, 2), [
        { replayOf: skipped, left: "before" },
        { replayOf: ids[1], left: "before" },
      ]);
      const outcomes = rest.results.slice(2).map((result) => "outcome" in result && result.outcome);
      assert.deepEqual(outcomes, ["accepted", "accepted"]);
      assert.equal((await scene.store.listRuns({ kind: "hook", limit: null })).length, 3);
    });

    test("what somebody else has replayed meanwhile is left out, but for another time on purpose", async (t) => {
      const scene = await sceneOf(t);
      const id = await scene.keep({ body: '{"message":"m"}' });
      await manyOf(scene, [id], { batch: "a" }).end;
      const other = manyOf(scene, [id], { batch: "b" });
      await other.end;
      assert.deepEqual(other.results, [{ replayOf: id, left: "before" }]);
      const again = manyOf(scene, [id], { batch: "c", onlyOnce: false });
      await again.end;
      assert.ok(again.results.every((result) => "outcome" in result && result.outcome === "accepted"));
      assert.equal((await scene.store.listRuns({ kind: "hook", limit: null })).length, 2);
    });

    test("a full queue stops them; what cannot be replayed, or is gone, does not", async (t) => {
      const scene = await sceneOf(t);
      const ids = ["no-such-request", await scene.keep({ hook: "gone" })];
      for (const message of ["a", "b"]) ids.push(await scene.keep({ body: JSON.stringify({ message }) }));
      let places = 1;
      const admission = { admits: () => places-- > 0, recount: async () => {} };
      const { results, end } = manyOf({ ...scene, deps: { ...scene.deps, admission } }, ids);
      assert.deepEqual(await end, { done: 3, stopped: "full" });
      assert.deepEqual(
        results.map((result) =>
          "outcome" in result ? result.outcome : "left" in result ? result.left : result.cannot,
        ),
        ["gone", "hook-gone", "accepted"],
      );
    });

    test("a store that is away ends them, and the batch goes on afterwards", async (t) => {
      const scene = await sceneOf(t);
      const ids: string[] = [];
      for (const message of ["a", "b"]) ids.push(await scene.keep({ body: JSON.stringify({ message }) }));
      let isAway = false;
      const store: typeof scene.store = {
        ...scene.store,
        async accept(acceptance) {
          if (isAway) throw new StoreUnavailable("away");
          isAway = true;
          return scene.store.accept(acceptance);
        },
      };
      const broken = manyOf({ ...scene, store, deps: { ...scene.deps, store } }, ids);
      await assert.rejects(broken.end, StoreUnavailable);
      const rest = manyOf(scene, ids);
      await rest.end;
      assert.deepEqual(
        [...broken.results, ...rest.results].map((result) =>
          "outcome" in result ? result.outcome : "before",
        ),
        ["accepted", "before", "accepted"],
      );
    });
  });

for (const [name, open] of Object.entries(bothStores))
  describe(`another configuration on ${name}`, () => {
    const agents = { list: [{ id: "main", default: true }, { id: "helper" }] };
    const compareOf = async (
      t: TestContext,
      {
        present,
        candidate,
        transforms = false,
      }: { present: object; candidate: object; transforms?: boolean },
      keep: (scene: ReplayScene) => Promise<unknown>,
    ) => {
      const settings = await settingsOf(t, present, agents);
      const scene = replayScene(await open(t), settings);
      await keep(scene);
      const found: Difference[] = [];
      const deps = { store: scene.store, present: settings, transforms };
      const other = await settingsOf(t, candidate, agents);
      const compared = await compareRequests(
        all,
        { ...deps, candidate: other },
        (each) => void found.push(each),
      );
      const runs = await scene.store.listRuns({ kind: "hook", limit: null });
      assert.deepEqual(runs, [], "nothing is stored");
      return { compared, found };
    };

    test("lists what it would decide otherwise, and how", async (t) => {
      const one = mapping("ci", { match: { path: "ci", payload: { state: "red" } }, agentId: "main" });
      const other = mapping("ci", {
        id: "builds",
        match: { path: "ci" },
        agentId: "helper",
        sessionKey: "hook:{{ branch }}",
      });
      const { compared, found } = await compareOf(
        t,
        { present: { mappings: [one] }, candidate: { mappings: [other] } },
        async ({ keep }) => {
          await keep({ hook: "ci", body: '{"state":"red","branch":"b"}' });
          await keep({ hook: "ci", body: '{"state":"green"}' });
          await keep({ body: '{"message":"m"}' });
          await keep({ hook: "nowhere" });
          await keep({ body: null, bytes: 0 });
        },
      );
      assert.deepEqual([compared.compared, compared.different, compared.mappingOnly], [3, 2, 0]);
      assert.equal(Object.values(compared.cannot).length, 2);
      const [red, green] = found;
      assert.deepEqual(red?.fields, ["mapping", "agents", "sessionKeys"]);
      assert.deepEqual([red?.present.sessionKeys, red?.candidate.sessionKeys], [["hook:…"], ["hook:b"]]);
      assert.deepEqual(
        [green?.present.outcome, green?.candidate.outcome, green?.candidate.mapping],
        ["skipped", "accepted", "builds"],
      );
    });

    test("a hook that one of them has not is a difference", async (t) => {
      const { compared, found } = await compareOf(
        t,
        { present: { mappings: [mapping("ci")] }, candidate: {} },
        ({ keep }) => keep({ hook: "ci" }),
      );
      assert.equal(compared.different, 1);
      assert.deepEqual(found[0]?.candidate.outcome, "not-replayable");
      assert.match(found[0]?.candidate.reason ?? "", /takes the hook ci/);
    });

    test("transforms are run only where that is asked for", async (t) => {
      const { folder } = createFolder(t);
      const acted = join(folder, "acted");
      writeFileSync(
        join(folder, "acts.js"),
        `import { writeFileSync } from "node:fs";\n${moduleOf(`writeFileSync(${JSON.stringify(acted)}, ""); return { agentId: "helper" };`)}`,
      );
      const present = { mappings: [mapping("ci", { agentId: "main" })] };
      const acting = mapping("ci", { transform: { module: "acts.js" } });
      const candidate = { transformsDir: folder, mappings: [acting] };
      const keep = ({ keep: keepOne }: ReplayScene) => keepOne({ hook: "ci" });
      const without = await compareOf(t, { present, candidate }, keep);
      assert.deepEqual([without.compared.mappingOnly, without.found, existsSync(acted)], [1, [], false]);
      const run = await compareOf(t, { present, candidate, transforms: true }, keep);
      assert.deepEqual(run.found[0]?.fields, ["agents"]);
      assert.ok(existsSync(acted));
    });
  });

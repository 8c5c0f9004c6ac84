// Requests with two keys: a request that has either one is a repeated one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import type { Idempotency } from "../../core/request.ts";
import type { Harness } from "./harness.contract.ts";

const hourMs = 3_600_000;

export function deliveryKeysContract(harness: () => Harness): void {
  const keyed = (key: string, secondKey?: string, more: Partial<Idempotency> = {}) =>
    anAcceptance({
      hook: "github",
      runs: [aRun()],
      idempotency: { key, fingerprint: "", ...(secondKey !== undefined && { secondKey }), ...more },
    });
  const kinds = async (...acceptances: ReturnType<typeof keyed>[]) => {
    const { store } = harness();
    const results = await Promise.all(acceptances.map((each) => store.accept(each)));
    return results.map(({ kind }) => kind);
  };
  const countRuns = async () => (await harness().store.listRuns({ kind: "hook", limit: null })).length;

  describe("requests with two keys", () => {
    test("either key makes a request a repeated one", async () => {
      assert.deepEqual(await kinds(keyed("id-1", "body-1")), ["stored"]);
      assert.deepEqual(await kinds(keyed("id-1", "body-2")), ["replayed"]);
      assert.deepEqual(await kinds(keyed("id-2", "body-1")), ["replayed"]);
      assert.deepEqual(await kinds(keyed("id-3", "body-3")), ["stored"]);
      assert.equal(await countRuns(), 2);
    });

    test("the other key of a repeated request is taken, too", async () => {
      assert.deepEqual(await kinds(keyed("id-1", "body-1")), ["stored"]);
      assert.deepEqual(await kinds(keyed("id-1", "body-2")), ["replayed"]);
      assert.deepEqual(await kinds(keyed("id-4", "body-2")), ["replayed"]);
      assert.equal(await countRuns(), 1);
    });

    test("a repeated request gets the first response by either key", async () => {
      const { store } = harness();
      const first = keyed("id-1", "body-1");
      await store.accept(first);
      for (const again of [keyed("id-1", "body-2"), keyed("id-2", "body-1")])
        assert.deepEqual(await store.accept(again), { kind: "replayed", response: first.response });
    });

    test("concurrent twins with one id and other bodies become one run", async () => {
      const twins = Array.from({ length: 20 }, (_, at) => keyed("id", `body-${at}`));
      assert.equal((await kinds(...twins)).filter((kind) => kind === "stored").length, 1);
      assert.equal(await countRuns(), 1);
    });

    test("concurrent twins with one body and other ids become one run", async () => {
      const twins = Array.from({ length: 20 }, (_, at) => keyed(`id-${at}`, "body"));
      assert.equal((await kinds(...twins)).filter((kind) => kind === "stored").length, 1);
      assert.equal(await countRuns(), 1);
    });

    test("concurrent requests that share keys crosswise end, each with its run or without", async () => {
      const chain = Array.from({ length: 12 }, (_, at) => keyed(`id-${at >> 1}`, `body-${(at + 1) >> 1}`));
      const results = await kinds(
        ...chain,
        ...chain
          .toReversed()
          .map(({ idempotency }) => anAcceptance({ hook: "github", runs: [aRun()], idempotency })),
      );
      assert.equal(results.filter((kind) => kind === "stored").length, await countRuns());
      assert.deepEqual(
        await kinds(...chain),
        chain.map(() => "replayed"),
      );
    });

    test("a key is no key of another hook", async () => {
      const { store } = harness();
      await store.accept(keyed("id", "body"));
      const other: ReturnType<typeof keyed> = { ...keyed("id", "body"), hook: "gitlab" };
      assert.deepEqual(await store.accept(other), { kind: "stored" });
    });

    test("a request is found by either key", async () => {
      const { store } = harness();
      const first = keyed("id", "body");
      await store.accept(first);
      const found = { kind: "replayed", response: first.response };
      const find = (key: string, secondKey: string) =>
        store.findRepeated("github", { key, secondKey, fingerprint: "" });
      assert.deepEqual(await find("id", "other"), found);
      assert.deepEqual(await find("other", "body"), found);
      assert.equal(await find("other", "another"), null);
    });

    test("a request that failed uses up neither key", async () => {
      const { store } = harness();
      const taken = aRun();
      await store.accept(anAcceptance({ runs: [taken] }));
      const poison = { ...keyed("id", "body"), runs: [aRun({ id: taken.id })] };
      await assert.rejects(store.accept(poison));
      assert.equal(await store.findRepeated("github", poison.idempotency!), null);
      assert.deepEqual(await store.accept(keyed("id", "body")), { kind: "stored" });
    });

    test("requests of a conversation, or with events, have keys like any", async () => {
      const { store } = harness();
      const idempotency = { key: "id", secondKey: "body", fingerprint: "" };
      const inLane = anAcceptance({ hook: "github", runs: [aRun({ sessionKey: "k" })], idempotency });
      assert.deepEqual(await store.accept(inLane), { kind: "stored" });
      assert.deepEqual(await kinds(keyed("id", "other"), keyed("another", "body")), ["replayed", "replayed"]);
      const several = { hook: "github", runs: [aRun(), aRun()], idempotency: { ...idempotency, key: "x" } };
      assert.equal((await store.accept(anAcceptance(several))).kind, "replayed");
      assert.equal(await countRuns(), 1);
    });

    test("keys last 24 hours, and longer where that is asked for", async () => {
      const { clock } = harness();
      const short = () => keyed("short");
      const long = () => keyed("long", "long-body", { keptMs: 48 * hourMs });
      assert.deepEqual(await kinds(short(), long()), ["stored", "stored"]);
      clock.advance(24 * hourMs);
      assert.deepEqual(await kinds(short(), long()), ["stored", "replayed"]);
      clock.advance(24 * hourMs - 1);
      assert.deepEqual(await kinds(keyed("new", "long-body")), ["replayed"]);
      clock.advance(1);
      assert.deepEqual(await kinds(long()), ["stored"]);
    });
  });
}

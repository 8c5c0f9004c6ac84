// Specification, section 6: system events, summaries, heartbeats.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainText } from "../../src/core/message.ts";
import { parseFences } from "../../src/untrusted/fence.ts";
import { forEachStore, program, startTestGateway, type TestGateway } from "../support/gateway.ts";

const wake = async (gateway: TestGateway, text: string, mode = "next-heartbeat") => {
  const { status, json } = await gateway.post("wake", { text, mode });
  assert.equal(status, 200);
  return String(json["eventId"]);
};

const allShown = (gateway: TestGateway) =>
  gateway.waitFor("all events to be shown", async () =>
    (await gateway.events()).every(({ shownAt }) => shownAt !== null),
  );

/** The replies of the heartbeats, oldest first. The echo agent's reply is its prompt. */
const prompts = async (gateway: TestGateway) =>
  (await gateway.runs("heartbeat")).map(({ reply }) => reply ?? "").toReversed();

/** Fails while there is a file `broken` in its workspace. */
const breakable = program(
  "main",
  `const prompt = fs.readFileSync(0, "utf8");
   if (fs.existsSync("mended")) process.stdout.write(prompt); else process.exitCode = 1;`,
);

describe("events", { concurrency: 4 }, () => {
  forEachStore(
    "a summary is posted after every agent run, whatever its outcome, one for each",
    async (t, store) => {
      const gateway = await startTestGateway(
        t,
        { agents: { list: [{ id: "main" }, { ...breakable, id: "bad" }] } },
        { store },
      );
      const ids: unknown[] = [];
      for (const agentId of ["main", "bad"]) {
        const { json } = await gateway.post("agent", {
          message: "m",
          name: agentId,
          agentId,
          wakeMode: "next-heartbeat",
        });
        ids.push(json["runId"]);
        await gateway.ended(json["runId"]);
      }
      const [bad, good, ...more] = await gateway.events();
      assert.deepEqual(more, []);
      assert.deepEqual([good?.source, bad?.source], ["summary", "summary"]);
      assert.ok(good && plainText(good.text).startsWith("Hook main: "));
      assert.ok(bad && plainText(bad.text).startsWith("Hook bad (failed): "));
    },
  );

  forEachStore("a heartbeat leaves no summary", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    await wake(gateway, "x", "now");
    await allShown(gateway);
    assert.deepEqual(await gateway.events("summary"), []);
  });

  forEachStore("next-heartbeat events are shown by any turn, oldest first", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    await wake(gateway, "first of three");
    await wake(gateway, "second of three");
    await wake(gateway, "third of three", "now");
    await allShown(gateway);
    const [prompt, ...more] = await prompts(gateway);
    assert.deepEqual(more, []);
    assert.deepEqual(
      parseFences(prompt ?? "").map(({ text }) => text),
      ["first of three", "second of three", "third of three"],
    );
  });

  forEachStore("a heartbeat that fails keeps its events, and a later one shows them", async (t, store) => {
    const gateway = await startTestGateway(t, { agents: { list: [breakable] } }, { store });
    const first = await wake(gateway, "do not lose me", "now");
    await gateway.waitFor("a failed heartbeat", async () =>
      (await gateway.runs("heartbeat")).some(({ status }) => status === "failed"),
    );
    assert.equal((await gateway.inspect.findEvent(first))?.shownAt, null);
    gateway.put("mended");
    await wake(gateway, "again", "now");
    await allShown(gateway);
    assert.ok((await prompts(gateway)).at(-1)?.includes("do not lose me"));
  });

  forEachStore("an event that was shown is not shown again", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    await wake(gateway, "only once", "now");
    await allShown(gateway);
    await wake(gateway, "another", "now");
    await allShown(gateway);
    const shown = (await prompts(gateway)).map((prompt) => [
      prompt.includes("only once"),
      prompt.includes("another"),
    ]);
    assert.deepEqual(shown, [
      [true, false],
      [false, true],
    ]);
  });

  forEachStore("a long backlog is shown oldest first, and the rest causes another turn", async (t, store) => {
    const gateway = await startTestGateway(t, {}, { store });
    for (const mark of ["<one>", "<two>"]) await wake(gateway, mark + "x".repeat(45_000));
    await wake(gateway, `<three>${"x".repeat(45_000)}`, "now");
    await allShown(gateway);
    const shown = (await prompts(gateway)).map((prompt) =>
      ["<one>", "<two>", "<three>"].filter((mark) => prompt.includes(mark)),
    );
    assert.deepEqual(shown, [["<one>", "<two>"], ["<three>"]]);
  });

  test("an event longer than a prompt is cut with a mark there, and stored whole", async (t) => {
    const gateway = await startTestGateway(t);
    const id = await wake(gateway, `<begins>${"x".repeat(150_000)}`, "now");
    await allShown(gateway);
    const [prompt = ""] = await prompts(gateway);
    assert.deepEqual(
      parseFences(prompt).map(({ text }) => text),
      [`<begins>${"x".repeat(99_992)}`],
    );
    assert.match(prompt, /^- \S+, wake: \[data 1\] \(cut: 150008 characters in all\)$/m);
    const event = await gateway.inspect.findEvent(id);
    assert.equal(event && plainText(event.text).length, 150_008);
  });

  test("a heartbeat's prompt asks for HEARTBEAT_OK when nothing needs attention", async (t) => {
    const gateway = await startTestGateway(t);
    await wake(gateway, "x", "now");
    await allShown(gateway);
    assert.match((await prompts(gateway))[0] ?? "", /HEARTBEAT_OK/);
  });
});

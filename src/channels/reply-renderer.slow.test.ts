// Replies made of marks: whoever writes them, the gateway's event loop is not held while they become messages.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { longestHoldMs } from "../../test/support/longest-hold.ts";
import { platforms } from "../core/target.ts";
import { renderings } from "./renderings.ts";
import { createReplyRenderer, longestAtOnce, type ReplyRendererOptions } from "./reply-renderer.ts";

const mostMs = 100;
/** One that is first compiled, or during which garbage is collected, does not count. */
const attempts = 3;
const pieces = ["*a_", "*_a", "a*", "**a", "~a", "a`", "  - a\n", "| *a_ |\n|-|\n", "www.a ", "a@b.", "[a]"];
const replyOf = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const running = new AbortController().signal;

function start(t: TestContext, options: ReplyRendererOptions = {}) {
  const { render, close } = createReplyRenderer(options);
  t.after(close);
  return (platform: (typeof platforms)[number], markdown: string, stopping = running) =>
    render(platform, { render: renderings[platform] }, markdown, stopping);
}

describe("no reply holds the event loop for long", () => {
  for (const platform of platforms)
    test(platform, { timeout: 120_000 }, async (t) => {
      const render = start(t);
      const short = pieces.map((piece) => replyOf(piece, longestAtOnce));
      const long = pieces.slice(0, 3).map((piece) => replyOf(piece, 60_000));
      for (const reply of [...short, ...long]) {
        let held = Infinity;
        for (let attempt = 0; attempt < attempts && held >= mostMs; attempt++)
          held = await longestHoldMs(() => render(platform, reply));
        assert.ok(held < mostMs, `${reply.length} of ${JSON.stringify(reply.slice(0, 14))}: ${held} ms`);
      }
    });
});

test("a long reply becomes the same messages as in this thread, several at once", async (t) => {
  const render = start(t);
  const reply = replyOf("A **bold** word, and @all of _them_.\n\n", 30_000);
  const rendered = await Promise.all(platforms.map((platform) => render(platform, reply)));
  for (const [at, platform] of platforms.entries())
    assert.deepEqual(rendered[at], renderings[platform](reply), platform);
});

test("a thread that ends or does not answer costs the reply nothing, and the next gets another", async (t) => {
  const reply = replyOf("Some words. ", longestAtOnce + 1);
  for (const code of ["process.exit();", "for (;;);", "throw new Error();"]) {
    const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    const render = start(t, { entry, limitMs: 1500 });
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await render("telegram", reply), renderings.telegram(reply), code);
  }
});

test("a stop does not wait for a reply that is being rendered", async (t) => {
  const silent = new URL("data:text/javascript,setInterval(() => {}, 1000)");
  const render = start(t, { entry: silent });
  const stopping = new AbortController();
  const rendered = render("telegram", "x".repeat(longestAtOnce + 1), stopping.signal);
  stopping.abort();
  assert.equal(await rendered, null);
  assert.equal(await render("telegram", "x".repeat(longestAtOnce + 1), stopping.signal), null);
});

test("a thread without work ends, and the next reply starts another", async (t) => {
  const render = start(t, { idleMs: 1 });
  const reply = replyOf("Some words. ", 10_000);
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await render("slack", reply), renderings.slack(reply));
    await new Promise((resolve) => setImmediate(resolve));
  }
});

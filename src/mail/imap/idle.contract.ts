// Hints from any server.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import {
  found,
  neverAborted,
  openMailbox,
  rawMail,
  type StartServer,
} from "../../../test/fixtures/imap-server.ts";

/** `next` resolves with the next hint. */
function hints() {
  let count = 0;
  let wake = (): void => {};
  return {
    onHint: (): void => {
      count += 1;
      wake();
    },
    next: (): Promise<void> =>
      new Promise((resolve) => {
        wake = () => {
          count = 0;
          wake = () => {};
          resolve();
        };
        if (count > 0) wake();
      }),
  };
}

/** A mailbox that idles, with the cursor of what it held then. */
async function startIdling(t: TestContext, start: StartServer) {
  const server = await start(t);
  const mailbox = openMailbox(t, server.config);
  const { onHint, next } = hints();
  const stop = new AbortController();
  const idling = mailbox.idle(onHint, stop.signal);
  await next();
  const cursor = await mailbox.baseline(neverAborted);
  return {
    server,
    next,
    newIds: async () => found(await mailbox.changes(cursor, neverAborted)).ids,
    async stop() {
      stop.abort();
      await idling;
    },
  };
}

export function testIdling(start: StartServer): void {
  test("a hint comes at the start, and when another client brings a message", async (t) => {
    const { server, next, newIds, stop } = await startIdling(t, start);
    const hint = next();
    await server.append({ raw: rawMail("one") });
    await hint;
    assert.equal((await newIds()).length, 1);
    await stop();
  });

  test("after a restart of the server, idling goes on by itself", async (t) => {
    const { server, next, newIds, stop } = await startIdling(t, start);
    const hint = next();
    await server.restart();
    await hint;
    const second = next();
    await server.append({ raw: rawMail("one") });
    await second;
    assert.equal((await newIds()).length, 1);
    await stop();
  });
}

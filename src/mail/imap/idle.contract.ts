// Hints from any server.
import assert from "node:assert/strict";
import { test } from "node:test";
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

export function testIdling(start: StartServer): void {
  test("a hint comes at the start, and when another client brings a message", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const { onHint, next } = hints();
    const stop = new AbortController();
    const idling = mailbox.idle(onHint, stop.signal);
    await next();
    const cursor = await mailbox.baseline(neverAborted);
    const hint = next();
    await server.append({ raw: rawMail("one") });
    await hint;
    assert.equal(found(await mailbox.changes(cursor, neverAborted)).ids.length, 1);
    stop.abort();
    await idling;
  });

  test("after a restart of the server, idling goes on by itself", async (t) => {
    const server = await start(t);
    const mailbox = openMailbox(t, server.config);
    const { onHint, next } = hints();
    const stop = new AbortController();
    const idling = mailbox.idle(onHint, stop.signal);
    await next();
    const cursor = await mailbox.baseline(neverAborted);
    const hint = next();
    await server.restart();
    await hint;
    const second = next();
    await server.append({ raw: rawMail("one") });
    await second;
    assert.equal(found(await mailbox.changes(cursor, neverAborted)).ids.length, 1);
    stop.abort();
    await idling;
  });
}

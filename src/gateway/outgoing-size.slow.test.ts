// What a stranger's server sends without end, we do not take: the connection is closed long before memory is filled, and
// the reason says the limit.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { outgoing } from "../../test/fixtures/outgoing.ts";
import { type Attack, endlessly, startOutsider } from "../../test/fixtures/outsider.ts";

const never = new AbortController().signal;
/** Far more than any limit, so that a client without one is found. */
const endlessBytes = 300_000_000;
const mostTaken = 100_000_000;

/** The limit, the status or type where that alone is the failure, or the parser's own limit for headers. */
const clear =
  /more than \d+ bytes|first 200000 bytes|with HTTP 400|with 500|with 400|status 400|HEADERS?_OVERFLOW|fetch failed|no token for the bot|not JSON or|could not be called|not respond as an MCP|"cutAt":65536/;

const head = (status: string, type: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`;
const json = (status = "200 OK"): string => head(status, "application/json");
const events = head("200 OK", "text/event-stream");
const filler = "x".repeat(10_000);
const sending = (before: string, piece: string): Attack => endlessly(before, piece, endlessBytes);

const attacks: Readonly<Record<string, Attack>> = {
  "a JSON text": sending(`${json()}{"ok":true,"id":"`, filler),
  "blanks before its JSON": sending(json(), " ".repeat(10_000)),
  "a JSON list": sending(`${json()}[`, `"${filler}",`),
  "the text of an error": sending(`${json("500 Internal Server Error")}{"error":"`, filler),
  "the text of a refusal": sending(`${json("400 Bad Request")}{"error":"`, filler),
  "one line of an event": sending(`${events}data: `, filler),
  "one event of many lines": sending(events, `data: ${filler}\n`),
  "signs of life": sending(events, `: ${filler}\n\n`),
  "events that nobody asked for": sending(events, `event: other\ndata: ${filler}\n\n`),
  "plain text": sending(head("200 OK", "text/plain"), filler),
  headers: sending("HTTP/1.1 200 OK\r\n", `X-More: ${"x".repeat(1000)}\r\n`),
};

for (const [what, attack] of Object.entries(attacks))
  suite(`a server that sends ${what} without end is cut off`, { concurrency: 4 }, () => {
    for (const [name, ask] of Object.entries(outgoing))
      test(name, { timeout: 60_000 }, async (t) => {
        const { origin, closed, sentBytes } = await startOutsider(t, attack);
        const said = JSON.stringify(await ask(origin, never, 60_000));
        await closed();
        assert.ok(sentBytes() < mostTaken, `${sentBytes()} bytes were taken`);
        assert.match(said, clear);
      });
  });

// What a stranger's server does with our request, it does not do for longer than we wait: whatever it sends, the request
// ends by its limit or with its run, and the connection is closed.
import { suite, test } from "node:test";
import { outgoing } from "../../test/fixtures/outgoing.ts";
import { type Attack, slowly, startOutsider } from "../../test/fixtures/outsider.ts";

const limitMs = 300;
const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
const chunkedAs = (type: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

const attacks: Readonly<Record<string, Attack>> = {
  "says nothing": () => {},
  "switches to another protocol": (socket) => void socket.write(switching),
  "switches to another protocol and talks": slowly(switching, "x"),
  "sends interim responses": slowly("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
  "sends a header byte by byte": slowly("HTTP/1.1 200 OK\r\nX-Long: ", "a"),
  "sends a body byte by byte": slowly(chunkedAs("application/json"), "1\r\n \r\n"),
  "sends an event stream without events": slowly(chunkedAs("text/event-stream"), "3\r\n:\n\n\r\n"),
};

for (const [what, attack] of Object.entries(attacks))
  suite(`a server that ${what} is given up in time`, { concurrency: true }, () => {
    for (const [name, ask] of Object.entries(outgoing))
      test(name, { timeout: 20_000 }, async (t) => {
        const { origin, closed } = await startOutsider(t, attack);
        await ask(origin, AbortSignal.timeout(limitMs), limitMs);
        await closed();
      });
  });

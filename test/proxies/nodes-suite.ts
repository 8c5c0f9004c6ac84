// Three gateways on one PostgreSQL behind each proxy: each in turn is stopped, then killed, and started again, while
// requests go on. Run by `npm run test:proxies`.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createDatabase } from "../support/postgres.ts";
import type { Reply } from "../support/process.ts";
import { createRandom } from "../support/random.ts";
import { type Sent, startLoad } from "../system/crash-load.ts";
import { labFor } from "../system/lab.ts";
import { acceptedIn, faultsAfter, maxAttempts, moreAccepted } from "../system/rolling.ts";
import { type ProxyKind, proxyKinds, startProxy } from "./proxy.ts";

/** Requests accepted before and after each step. */
const between = 60;

type Refused = { keyed: boolean; reply: Reply | null };

/** With a key nginx finds another gateway by itself; without one it must not. Caddy does neither (see its file). */
function isAllowed(kind: ProxyKind, { keyed, reply }: Refused): boolean {
  if (reply === null || reply.retryAfter === null) return false;
  if (reply.status === 503) return true;
  return (!keyed || kind === "caddy") && reply.status === 502 && reply.body["code"] === "no-answer";
}

const word = ({ keyed, reply }: Refused): string =>
  `${keyed ? "with" : "without"} key: ${reply ? `${reply.status} ${String(reply.body["code"])}` : "no response"}`;

for (const kind of proxyKinds) {
  suite(kind, () => {
    test("nodes stop, die and come back: nothing accepted is lost, nothing is done twice", async (context) => {
      const database = await createDatabase();
      context.after(() => database.drop());
      const lab = labFor(context, {
        databaseUrl: database.url,
        settings: { leaseSeconds: 2, maxAttempts, gateway: { trustedProxies: ["127.0.0.1"] } },
      });
      const nodes = await Promise.all([lab.start(), lab.start(), lab.start()]);
      const urls = nodes.map(({ url }) => url);
      const proxy = await startProxy(context, kind, urls);
      const refused: Refused[] = [];
      const load = startLoad({
        address: () => Promise.resolve(proxy.url),
        random: createRandom(1),
        betweenMs: 60,
        onRefusal: (reply: Reply | null, { key }: Sent) => void refused.push({ keyed: key !== null, reply }),
      });
      context.after(() => load.abandon());

      await moreAccepted(load, between);
      for (const end of ["stop", "kill"] as const) {
        for (const at of urls.keys()) {
          const exit = await nodes[at]![end]();
          if (exit) assert.equal(exit.code, 0);
          await moreAccepted(load, between);
          nodes[at] = await lab.start({ port: Number(new URL(urls[at]!).port) });
          await moreAccepted(load, between);
        }
      }
      const faults = await faultsAfter({ lab, load, url: proxy.url, store: await lab.openStore() });
      const counts = Object.entries(Object.groupBy(refused, word)).map(
        ([name, each]) => `${name} ${each?.length}`,
      );
      context.diagnostic(
        `${load.sent.length} sent, ${acceptedIn(load)} accepted; ${counts.join("; ") || "none refused"}`,
      );
      assert.deepEqual(faults, []);
      assert.deepEqual(refused.filter((each) => !isAllowed(kind, each)).map(word), []);
    });
  });
}

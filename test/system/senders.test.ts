// Senders' deliveries on processes that are killed, and on two nodes of one PostgreSQL.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createDatabase } from "../support/postgres.ts";
import { until } from "../support/process.ts";
import { githubHeaders, githubSecret } from "../support/senders.ts";
import { labFor, type Lab } from "./lab.ts";

const hooks = {
  senders: { github: { kind: "github", secret: githubSecret } },
  mappings: [
    {
      match: { path: "github" },
      name: "{{ hook.delivery }}",
      messageTemplate: "[steps 0] {{ n }}",
      wakeMode: "next-heartbeat",
      deliver: false,
    },
  ],
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

type Delivery = { id: string; n: number; secret?: string };

async function deliver(url: string, { id, n, secret = githubSecret }: Delivery): Promise<number> {
  const body = JSON.stringify({ n });
  const headers = githubHeaders(body, { id, secret }).map((each) => each.split(": ") as [string, string]);
  return (await fetch(`${url}/hooks/github`, { method: "POST", headers, body })).status;
}

/** The deliveries that became runs, by the name that the mapping gives them. */
async function delivered(lab: Lab): Promise<string[]> {
  const store = await lab.openStore();
  return (await store.listRuns({ kind: "hook", limit: null }))
    .map(({ request }) => request.name ?? "")
    .toSorted();
}

suite("senders on processes", { concurrency: true }, () => {
  for (const store of ["sqlite", "postgres"] as const)
    test(`a gateway that is killed again and again loses no delivery and takes none twice: ${store}`, async (context) => {
      const database = store === "postgres" ? await createDatabase() : null;
      const lab = labFor(context, { databaseUrl: database?.url ?? null, settings: { hooks } });
      if (database) context.after(() => database.drop());
      const acknowledged = new Set<string>();
      const all = numbers(120).map((n) => ({ id: `d-${n}`, n }));
      for (let life = 0; life < 3; life++) {
        const node = await lab.start();
        const half = all.slice(life * 40, life * 40 + 40);
        let sent = 0;
        const sending = Promise.all(
          half.map(async (delivery) => {
            const status = await deliver(node.url, delivery).catch(() => null);
            if (status === 200) acknowledged.add(delivery.id);
            if (++sent === 10) await node.kill();
          }),
        );
        await sending;
      }
      const last = await lab.start();
      const before = await delivered(lab);
      for (const id of acknowledged) assert.ok(before.includes(id), `${id} was acknowledged and is lost`);
      // The sender tries all of them again: those without a response, and by hand also the others.
      for (const delivery of all) assert.equal(await deliver(last.url, delivery), 200);
      assert.deepEqual(await delivered(lab), all.map(({ id }) => id).toSorted());
    });

  test("two nodes: twins become one run, failures count for both, and calls are added up", async (context) => {
    const database = await createDatabase();
    const settings = { hooks: { ...hooks, authFailures: { max: 4, windowSeconds: 600 } } };
    const lab = labFor(context, { databaseUrl: database.url, settings });
    context.after(() => database.drop());
    const nodes = await Promise.all([lab.start(), lab.start()]);
    const send = (at: number, delivery: Delivery) => deliver(nodes[at % 2]!.url, delivery);

    const sameId = numbers(20).map((n) => send(n, { id: "same", n }));
    const sameBody = numbers(20).map((at) => send(at, { id: `other-${at}`, n: 1000 }));
    for (const status of await Promise.all([...sameId, ...sameBody])) assert.equal(status, 200);
    assert.equal((await delivered(lab)).length, 2);

    const wrong = { id: "wrong", n: 0, secret: "another" };
    for (const at of numbers(4)) assert.equal(await send(at, wrong), 401, `failure ${at + 1}`);
    assert.deepEqual([await send(0, wrong), await send(1, wrong)], [429, 429]);
    assert.equal(await send(0, { id: "good", n: 2000 }), 200);

    const store = await lab.openStore();
    const counts = async () => {
      const [github] = await store.listSenders();
      return Object.fromEntries((github?.calls ?? []).map(({ result, calls }) => [result, calls]));
    };
    await until("all calls are counted", async () => {
      const { proven, "wrong-secret": failed } = await counts();
      return proven === 41 && failed === 6;
    });
  });
});

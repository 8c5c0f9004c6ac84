// Keeping requests: agent requests accepted a second with the ledger on, against the same gateway with it off.
import { compare, type Contender } from "../comparison.ts";
import type { Lab } from "../lab.ts";
import { row, type Result, type Row } from "../row.ts";
import { createRandom } from "../statistics.ts";
import { startGateway, storeKinds, type StoreKind } from "../subjects/gateway.ts";

const sizes = [300, 4096];
const goal = { of: "ratio", atLeast: 0.85 } as const;

const words =
  "the build of main is broken tests fail in payment refund find out why error stack module issue title user login repository commit branch release deploy alert firing resolved severity critical warning host service latency".split(
    " ",
  );

/** Text with about as much in it as a log or an issue has, so that it compresses like one. */
function bodyOf(bytes: number): string {
  const random = createRandom(7);
  const empty = JSON.stringify({ message: "", name: "CI", deliver: false });
  let message = "";
  while (message.length < bytes) {
    const word = words[Math.floor(random() * words.length)]!;
    message += random() < 0.1 ? `${word} ${Math.floor(random() * 1e9).toString(36)} ` : `${word} `;
  }
  return JSON.stringify({ ...JSON.parse(empty), message: message.slice(0, bytes - empty.length) });
}

export async function measureLedger(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  for (const store of storeKinds) for (const bytes of sizes) rows.push(...(await rowsOf(lab, store, bytes)));
  return {
    name: "ledger",
    title: "Keeping requests",
    rows,
    notes: ["an agent request; off: hooks.keepRequests is 0"],
  };
}

async function rowsOf(lab: Lab, store: StoreKind, bytes: number): Promise<Row[]> {
  const off = await startGateway(lab, { store, hooks: { keepRequests: 0 } });
  const on = await startGateway(lab, { store });
  const shared = { path: "/hooks/agent", body: bodyOf(bytes), expectedStatus: 202 };
  const contenders: Contender[] = [
    { name: `off, ${bytes} bytes, ${store}`, server: off, ...shared },
    { name: `on, ${bytes} bytes, ${store}`, server: on, ...shared },
  ];
  const { rounds, seconds } = lab.effort;
  const [without, kept] = await compare(lab, { contenders, rounds, seconds });
  await Promise.all([off, on].map(({ child }) => lab.end(child)));
  return [
    row(kept!.name, kept!.perSecond, "requests/s", { against: without!.name, ratio: kept!.ofRate, goal }),
    row(`processor time of a request: ${kept!.name}`, kept!.processorMicroseconds, "µs", {
      against: without!.name,
      ratio: kept!.processorMicroseconds / without!.processorMicroseconds,
    }),
  ];
}

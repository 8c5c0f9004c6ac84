// `npm run test:restore`: the disasters of docs/operations.md and the way back, with its own commands, on real gateways
// and a real PostgreSQL from the system's packages. Reports what was there afterwards, and every fault.
import { readOptions } from "../support/options.ts";
import { needPostgres } from "./cluster.ts";
import type { Drill } from "./drill.ts";
import { dumpDrill } from "./dump.ts";
import { nodesDrill } from "./nodes.ts";
import { pointInTimeDrill } from "./point-in-time.ts";
import { replicaDrill } from "./replica.ts";
import { rollbackDrill } from "./rollback.ts";
import { sqliteDrill } from "./sqlite.ts";

const drills: Record<string, Drill> = {
  sqlite: sqliteDrill,
  dump: dumpDrill,
  "point-in-time": pointInTimeDrill,
  replica: replicaDrill,
  nodes: nodesDrill,
  rollback: rollbackDrill,
};
const withoutPostgres = ["sqlite", "rollback"];
const usage = `npm run test:restore -- [--only ${Object.keys(drills).join("|")}] [--seed N]`;
const values = readOptions(usage, {
  only: { type: "string" },
  seed: { type: "string", default: "1" },
});
const chosen = Object.entries(drills).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  console.error(usage);
  process.exit(2);
}
if (chosen.some(([name]) => !withoutPostgres.includes(name))) console.log(needPostgres());

let wrong = 0;
for (const [name, drill] of chosen) {
  const startedAt = performance.now();
  try {
    await drill({
      seed: Number(values.seed),
      report(what, { saw, faults }) {
        for (const fault of faults) console.log(`FAULT ${fault}`);
        console.log(`${what}: ${saw}; ${faults.length === 0 ? "nothing wrong" : `${faults.length} faults`}`);
        wrong += faults.length;
      },
    });
  } catch (fault) {
    console.log(`FAULT the drill ${name} broke off: ${fault instanceof Error ? fault.stack : String(fault)}`);
    wrong++;
  }
  console.log(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
process.exitCode = wrong === 0 ? 0 : 1;

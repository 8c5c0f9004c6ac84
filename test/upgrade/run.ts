// `npm run test:upgrade`: a rolling upgrade. Two nodes of an older commit and two of this checkout on one PostgreSQL:
// the new ones bring the schema up to date under the old ones, requests go to all, and the old ones leave, one stopped
// and one killed.
import { rmSync } from "node:fs";
import { readOptions } from "../support/options.ts";
import { createDatabase, postgresVariable, startPostgres } from "../support/postgres.ts";
import { commitBeforeMigration, ownSchemaVersion, resolveCommit, schemaVersion, unpack } from "./old-code.ts";
import { upgradeTest } from "./upgrade.ts";

const values = readOptions("npm run test:upgrade -- [--from REF] [--seed N]", {
  from: { type: "string" },
  seed: { type: "string", default: "1" },
});
const commit = values.from === undefined ? commitBeforeMigration() : resolveCommit(values.from);
const versions = { old: schemaVersion(commit), new: ownSchemaVersion() };
console.log(`from ${commit.slice(0, 10)} (schema ${versions.old}) to this checkout (schema ${versions.new})`);

const folder = unpack(commit);
const server = await startPostgres();
process.env[postgresVariable] = server.url;
const database = await createDatabase();
try {
  const { faults, ...numbers } = await upgradeTest({
    oldCode: folder,
    databaseUrl: database.url,
    versions,
    seed: Number(values.seed),
    progress: (line) => console.log(line),
  });
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(JSON.stringify(numbers), faults.length === 0 ? "nothing wrong" : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await database.drop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

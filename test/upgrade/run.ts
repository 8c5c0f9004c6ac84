// `npm run test:upgrade`: a rolling upgrade. Two nodes of one version and two of the next on one PostgreSQL: the new
// ones bring the schema up to date under the old ones, requests go to all, and the old ones leave, one stopped and one
// killed. The next version is this checkout with a migration more; with `--from` the old one is an older commit.
import { readOptions } from "../support/options.ts";
import { createDatabase, postgresVariable, startPostgres } from "../support/postgres.ts";
import { codeOf, isCommit, nextCode, ownCode } from "./code.ts";
import { upgradeTest } from "./upgrade.ts";

const values = readOptions("npm run test:upgrade -- [--from REF] [--seed N]", {
  from: { type: "string" },
  seed: { type: "string", default: "1" },
});
if (values.from !== undefined && !isCommit(values.from)) {
  console.error(`There is no commit ${values.from} here.`);
  process.exit(2);
}
const codes =
  values.from === undefined ? { old: ownCode, new: nextCode() } : { old: codeOf(values.from), new: ownCode };
const nameOf = values.from === undefined ? ["this checkout", "its next"] : [values.from, "this checkout"];
console.log(`from ${nameOf[0]} (schema ${codes.old.schema}) to ${nameOf[1]} (schema ${codes.new.schema})`);

const server = await startPostgres();
process.env[postgresVariable] = server.url;
const database = await createDatabase();
try {
  const { faults, ...numbers } = await upgradeTest({
    codes,
    databaseUrl: database.url,
    seed: Number(values.seed),
    between: 80,
    progress: (line) => console.log(line),
  });
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(JSON.stringify(numbers), faults.length === 0 ? "nothing wrong" : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await database.drop();
  await server.stop();
}

// Preloaded in the quick tier (`npm run test:quick`): a test there must need neither a child process nor PostgreSQL.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const starting = ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"] as const;

for (const name of starting)
  Object.assign(childProcess, { [name]: () => refuse(`${name}() of child_process`) });
syncBuiltinESMExports();
delete process.env.ROUSE_TEST_POSTGRES;

function refuse(what: string): never {
  throw new Error(`${what} is not for the quick tier: move the test to a file named x.slow.test.ts`);
}

// Makes dist/ from src/, for publishing. Development and tests run the sources as they are.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

rmSync(pathOf("dist"), { recursive: true, force: true });
const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));
const { status, error } = spawnSync(process.execPath, [compiler, "-p", pathOf("tsconfig.build.json")], {
  stdio: "inherit",
});
if (error) throw error;
process.exitCode = status ?? 1;

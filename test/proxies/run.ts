// `npm run test:proxies`: installs nginx and Caddy from the system's packages where they are not there, makes a
// certificate, and runs the suites against the configurations in deploy/.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeCertificate, needPrograms } from "../support/debian.ts";
import { makeFolder } from "../support/folder.ts";
import { readOptions } from "../support/options.ts";

const values = readOptions("npm run test:proxies -- [--only nginx|caddy]", { only: { type: "string" } });
needPrograms(["nginx", "caddy", "openssl"], ["nginx-light", "caddy", "openssl"]);
execFileSync("nginx", ["-v"], { stdio: "inherit" });
console.log(`caddy version: ${execFileSync("caddy", ["version"], { encoding: "utf8" }).trim()}`);

const folder = makeFolder("proxies-certificate");
const { cert, key } = makeCertificate(folder);
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const setup = `--test-global-setup=${pathOf("../support/setup.ts")}`;
const files = [pathOf("requests-suite.ts"), pathOf("nodes-suite.ts")];
const env = {
  ...process.env,
  NODE_EXTRA_CA_CERTS: cert,
  ROUSE_PROXY_CERT: cert,
  ROUSE_PROXY_KEY: key,
  ROUSE_PROXY_ONLY: values.only ?? "",
};
const { status } = spawnSync(
  process.execPath,
  ["--test", "--test-timeout=300000", "--test-concurrency=1", setup, ...files],
  { stdio: "inherit", env },
);
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;

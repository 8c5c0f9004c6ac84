// `npm run test:imap`: installs Dovecot from the system's packages where it is not there, makes a certificate, and runs
// the suite against it.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { makeCertificate, needPrograms } from "../support/debian.ts";
import { makeFolder } from "../support/folder.ts";

needPrograms(["dovecot", "openssl"], ["dovecot-imapd", "openssl"]);
const version = execFileSync("dovecot", ["--version"], { encoding: "utf8" });
if (!version.startsWith("2.3."))
  throw new Error(`this suite's configuration is for Dovecot 2.3, not ${version}`);

const folder = makeFolder("imap-certificate");
const { cert, key } = makeCertificate(folder);
const suite = new URL("dovecot-suite.ts", import.meta.url).pathname;
const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert, ROUSE_IMAP_CERT: cert, ROUSE_IMAP_KEY: key };
const { status } = spawnSync(process.execPath, ["--test", "--test-timeout=240000", suite], {
  stdio: "inherit",
  env,
});
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;

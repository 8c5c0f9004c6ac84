// Real servers from the system's packages, for suites that `npm test` does not run. Wants Debian or Ubuntu, and root or
// sudo for the installation.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";

/** Installs the packages where one of the programs is missing. Their own services are not used. */
export function needPrograms(programs: readonly string[], packages: readonly string[]): void {
  process.env["PATH"] = `${process.env["PATH"]}:/usr/sbin`;
  const missing = () => programs.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing().length === 0) return;
  const [program = "", ...first] = process.getuid?.() === 0 ? ["apt-get"] : ["sudo", "apt-get"];
  const options = {
    stdio: "inherit",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 300_000,
  } as const;
  const wait = ["-o", "DPkg::Lock::Timeout=120"];
  spawnSync(program, [...first, ...wait, "update"], options);
  spawnSync(program, [...first, ...wait, "install", "-y", ...packages], options);
  if (missing().length > 0)
    throw new Error(`${missing().join(" and ")} could not be installed with apt-get; install by hand`);
}

export type Certificate = { cert: string; key: string };

/** A self-signed certificate for 127.0.0.1 and localhost. */
export function makeCertificate(folder: string): Certificate {
  const cert = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  const request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" ");
  const names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Whether a server accepts connections there. */
export async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

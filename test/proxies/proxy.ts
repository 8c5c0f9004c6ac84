// nginx and Caddy of one's own on a loopback port, from the very files in deploy/ with only their values replaced.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { freePort, takesConnections } from "../support/debian.ts";
import { makeFolder } from "../support/folder.ts";

export type Proxy = {
  /** https, on 127.0.0.1. */
  url: string;
  port: number;
  log(): string;
};

export type ProxyKind = "nginx" | "caddy";

const { ROUSE_PROXY_CERT: cert = "", ROUSE_PROXY_KEY: key = "", ROUSE_PROXY_ONLY: only = "" } = process.env;

export const proxyKinds: readonly ProxyKind[] = (["nginx", "caddy"] as const).filter(
  (kind) => only === "" || only === kind,
);

/** In front of the gateways at these addresses, until the test ends. */
export async function startProxy(
  test: Pick<TestContext, "after">,
  kind: ProxyKind,
  gatewayUrls: readonly string[],
): Promise<Proxy> {
  const folder = makeFolder(kind);
  const port = await freePort();
  const gateways = gatewayUrls.map((url) => new URL(url).host);
  const child = kind === "nginx" ? startNginx(folder, port, gateways) : startCaddy(folder, port, gateways);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "exit");
  test.after(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}:\n${output}`);
  }
  return { url: `https://localhost:${port}`, port, log: () => output };
}

function startNginx(folder: string, port: number, gateways: readonly string[]): ChildProcess {
  const text = replaced(deployed("nginx/rouse.conf"), [
    ["    server 127.0.0.1:4665 max_fails=2 fail_timeout=5s;", gateways.map(nginxServer).join("\n")],
    ["listen 443 ssl", `listen 127.0.0.1:${port} ssl`],
    ["server_name hooks.example.com;", "server_name localhost;"],
    ["/etc/ssl/rouse/certificate.pem", cert],
    ["/etc/ssl/rouse/key.pem", key],
  ]);
  writeFileSync(join(folder, "rouse.conf"), text);
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = [
    "daemon off; worker_processes 2;",
    process.getuid?.() === 0 ? "user root;" : "",
    `pid ${folder}/nginx.pid; error_log stderr info;`,
    "events { worker_connections 1024; }",
    `http { access_log off; ${own.join(" ")} include ${folder}/rouse.conf; }`,
  ];
  writeFileSync(join(folder, "nginx.conf"), main.join("\n"));
  return spawn("nginx", ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const nginxServer = (address: string): string => `    server ${address} max_fails=2 fail_timeout=5s;`;

function startCaddy(folder: string, port: number, gateways: readonly string[]): ChildProcess {
  // Other Caddies on this machine have the usual admin port; and only loopback is listened on.
  const text = replaced(deployed("caddy/Caddyfile"), [
    ["admin localhost:2019", "admin off\n\tdefault_bind 127.0.0.1"],
  ]);
  const file = join(folder, "Caddyfile");
  writeFileSync(file, text);
  mkdirSync(join(folder, "home"));
  const env = {
    PATH: process.env["PATH"],
    HOME: join(folder, "home"),
    HTTPS_PORT: String(port),
    ROUSE_SITE: "localhost",
    ROUSE_GATEWAYS: gateways.join(" "),
    ROUSE_TLS: `tls ${cert} ${key}`,
  };
  return spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
}

const deployed = (name: string): string =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");

/** Each value is there exactly once. */
function replaced(text: string, values: readonly (readonly [string, string])[]): string {
  return values.reduce((before, [value, other]) => {
    if (before.split(value).length !== 2) throw new Error(`${value} is not there exactly once`);
    return before.replace(value, () => other);
  }, text);
}

// A Dovecot of one's own on loopback ports, with everything it keeps in one folder.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync, chownSync } from "node:fs";
import { createServer, connect } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { userInfo } from "node:os";

export type Ports = { plain: number; tls: number };
export type Dovecot = { ports: Ports; stop(): Promise<void>; start(): Promise<void> };

const isRoot = process.getuid?.() === 0;
/** The owner of the mail, because Dovecot never reads mail as root. */
const owner = isRoot ? { uid: 65_534, gid: 65_534 } : { uid: userInfo().uid, gid: userInfo().gid };

function ownUser(): string {
  const user = userInfo().username;
  const group = execFileSync("id", ["-gn"], { encoding: "utf8" }).trim();
  return `default_internal_user = ${user}\ndefault_login_user = ${user}\ndefault_internal_group = ${group}`;
}

const config = (
  folder: string,
  { plain, tls }: Ports,
  certificate: { cert: string; key: string },
): string => `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
${isRoot ? "" : ownUser()}
first_valid_uid = ${owner.uid}
first_valid_gid = ${owner.gid}
mail_location = maildir:${folder}/mail/%u
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
ssl = yes
ssl_cert = <${certificate.cert}
ssl_key = <${certificate.key}
passdb {
  driver = static
  args = password=right
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${folder}/mail/%u
}
service imap-login {
  ${isRoot ? "" : "chroot ="}
  inet_listener imap {
    port = ${plain}
  }
  inet_listener imaps {
    port = ${tls}
    ssl = yes
  }
}
${isRoot ? "" : "service anvil {\n  chroot =\n}"}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "data", { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function createDovecot(
  folder: string,
  certificate: { cert: string; key: string },
): Promise<Dovecot> {
  const ports = { plain: await freePort(), tls: await freePort() };
  const file = join(folder, "dovecot.conf");
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "mail"));
  if (isRoot) chownSync(join(folder, "mail"), owner.uid, owner.gid);
  writeFileSync(file, config(folder, ports, certificate));
  let running: ChildProcess | null = null;

  const dovecot: Dovecot = {
    ports,
    async start() {
      const child = spawn("dovecot", ["-F", "-c", file], { stdio: ["ignore", "inherit", "inherit"] });
      running = child;
      while (!(await isListening(ports.plain))) {
        if (child.exitCode !== null) throw new Error(`dovecot ended; see ${folder}/dovecot.log`);
      }
    },
    async stop() {
      if (running === null) return;
      const ended = once(running, "exit");
      running.kill("SIGTERM");
      running = null;
      await ended;
    },
  };
  await dovecot.start();
  return dovecot;
}

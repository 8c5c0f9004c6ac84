// A rival's queue with all that it needs: its database, and the process with its front and its worker.
import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { messageFrom, type Lab } from "../lab.ts";
import { serverProgram } from "../peers/restate.ts";
import type { PeerName } from "../peers/load.ts";
import { installCommand, rivalFolder, rivalVersion } from "../queue/rival.ts";
import { freePort, type Subject } from "./subject.ts";

export type Peer = Subject & { hasUnfinished(): Promise<boolean>; end(): Promise<void> };

const packages: Record<PeerName, string> = {
  bullmq: "bullmq",
  "pg-boss": "pg-boss",
  "graphile-worker": "graphile-worker",
  dbos: "@dbos-inc/dbos-sdk",
  restate: "@restatedev/restate-server",
};

export type FoundPeer = { version: string } | { missing: string };

export function findPeer(name: PeerName): FoundPeer {
  const version = rivalVersion(packages[name]);
  if (version === null) return { missing: `${name}: ${installCommand}` };
  if (name !== "bullmq") return { version };
  try {
    const redis = execFileSync("redis-server", ["--version"], { encoding: "utf8" });
    return { version: `${version} on Redis ${/v=(\S+)/.exec(redis)?.[1]}` };
  } catch {
    return { missing: `${name}: redis-server is not on the PATH (apt-get install redis-server)` };
  }
}

/** Without an agent, accepted work stays in its queue. */
export async function startPeer(lab: Lab, name: PeerName, agent: Subject | null): Promise<Peer> {
  const { address, end: endDatabase } = await startDatabase(lab, name);
  const child = lab.start("peer", name, address, ...(agent ? [String(agent.port)] : []));
  const { port } = await messageFrom<{ port: number }>(child);
  return {
    child,
    port,
    async hasUnfinished() {
      child.send("unfinished");
      return (await messageFrom<{ unfinished: boolean }>(child)).unfinished;
    },
    async end() {
      await lab.end(child);
      await endDatabase();
    },
  };
}

type Database = { address: string; end(): Promise<void> };

async function startDatabase(lab: Lab, name: PeerName): Promise<Database> {
  if (name === "bullmq") return startRedis(lab);
  if (name === "restate") return startRestate(lab);
  const url = await lab.databases.create();
  return { address: url, end: () => lab.databases.drop(url) };
}

async function startRedis(lab: Lab): Promise<Database> {
  const port = String(await freePort());
  const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const listening = ["--bind", "127.0.0.1", "--port", port, "--dir", lab.folder()];
  const server = lab.run("redis-server", [...listening, ...durable]);
  await untilTrue(async () =>
    execFileSync("redis-cli", ["-p", port, "ping"], { stdio: "pipe" }).includes("PONG"),
  );
  return { address: port, end: () => lab.end(server) };
}

async function startRestate(lab: Lab): Promise<Database> {
  const [ingress, admin, service, node] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const folder = lab.folder();
  const server = lab.run(serverProgram(rivalFolder), ["--base-dir", folder], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_LOG_FILTER: "error",
      DO_NOT_TRACK: "1",
    },
  });
  for (const [port, path] of [
    [admin, "/health"],
    [ingress, "/restate/health"],
  ] as const)
    await untilTrue(async () => (await fetch(`http://127.0.0.1:${port}${path}`)).ok);
  return { address: [ingress, admin, service].join(","), end: () => lab.end(server) };
}

const startMs = 60_000;

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  const givesUpAt = performance.now() + startMs;
  for (;;) {
    const fault = await isTrue().then(
      (yes) => (yes ? null : new Error("not ready")),
      (thrown: unknown) => thrown,
    );
    if (fault === null) return;
    if (performance.now() > givesUpAt) throw fault;
    await pause(100);
  }
}

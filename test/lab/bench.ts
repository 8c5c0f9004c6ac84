// The bench that rounds run on: nodes, their store, and the world around them. It is used for many rounds; only
// processes that a round ended are started again.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { startPostgres } from "../support/postgres.ts";
import { createRandom } from "../support/random.ts";
import type { Setting } from "./cells.ts";
import type { NodeEvent } from "./fail-points.ts";
import type { Life, Note } from "./history.ts";
import { createLabNode, type LabNode } from "./lab-node.ts";
import type { FromNode } from "./node.ts";
import { startWire, type Wire } from "./proxy.ts";
import { callbackSecret, startWorld, type World } from "./world.ts";

export type BenchNode = LabNode & { wire: Wire | null; output(): string };

/** A node that waits at the fail point, and the id of the work it is doing there. */
export type Standing = { node: BenchNode; id: string | null };

export type Bench = {
  setting: Setting;
  nodes: readonly BenchNode[];
  world: World;
  /** The store, seen from beside the nodes. */
  inspect: Store;
  /** The PostgreSQL server of this bench alone. */
  server: { pause(): Promise<void>; resume(): Promise<void> } | null;
  notes(): readonly Note[];
  lives(): readonly Life[];
  /** Resolves with the next node that stops at its fail point. */
  reached(): Promise<Standing>;
  /** Faults that the lab did not cause, such as a process that ended. */
  troubles(): string[];
  /** Starts a round without the notes of earlier ones. Returns its name, which is unique on this bench. */
  startRound(): string;
  close(): Promise<void>;
};

export const token = "lab-token-that-is-long-enough-for-anyone";
export const leaseMs = 1000;
export const maxAttempts = 20;

export async function openBench(setting: Setting, seed: number): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), "rouse-crash-lab-"));
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  try {
    const world = await startWorld(createRandom(seed));
    undo.push(() => world.close());
    const server = setting.store === "postgres" ? await startPostgres() : null;
    if (server) undo.push(() => server.stop());

    let notes: Note[] = [];
    let troubles: string[] = [];
    const lives: Life[] = [];
    let rounds = 0;
    let standing = Promise.withResolvers<Standing>();
    const nodes: BenchNode[] = [];
    for (const name of ["a", "b", "c"].slice(0, setting.nodes)) {
      const wire = server ? await startWire(Number(new URL(server.url).port)) : null;
      if (wire) undo.push(() => wire.close());
      const home = join(folder, name);
      mkdirSync(home);
      const configure = (life: string): string => {
        const file = join(home, "rouse.jsonc");
        const store = { leaseSeconds: leaseMs / 1000, ...(server && { url: urlOver(server.url, wire) }) };
        writeFileSync(file, JSON.stringify(configOf(world.addressOf(life), store)), { mode: 0o600 });
        return file;
      };
      const hear = (event: NodeEvent): void => {
        if (event.kind === "reached") standing.resolve({ node, id: event.id });
        else notes.push(event);
      };
      const node: BenchNode = Object.assign(
        createLabNode({
          name,
          configure,
          hear: (message) => isEvent(message) && hear(message),
          born: (life) => void lives.push(life),
          lost: (life, end) => void troubles.push(`the node ${life} ended by itself (${end})`),
        }),
        { wire },
      );
      nodes.push(node);
      undo.push(() => node.kill());
    }
    await Promise.all(nodes.map((node) => node.start()));
    const inspect = server
      ? await openPostgresStore({ url: server.url, migrate: false, connections: 1 })
      : await openSqliteFile({ path: join(folder, "a", "rouse.db"), clock: systemClock });
    undo.push(() => inspect.close());
    return {
      setting,
      nodes,
      world,
      inspect,
      server,
      notes: () => notes,
      lives: () => lives,
      reached: () => standing.promise,
      troubles: () => troubles,
      startRound() {
        notes = [];
        troubles = [];
        standing = Promise.withResolvers<Standing>();
        world.take();
        return (++rounds).toString(36);
      },
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

const isEvent = (message: FromNode): message is NodeEvent =>
  message.kind !== "ready" && message.kind !== "armed" && message.kind !== "stepped";

export function releaseAll({ nodes, world }: Bench): void {
  world.release();
  for (const node of nodes) node.release();
}

function urlOver(url: string, wire: Wire | null): string {
  const over = new URL(url);
  if (wire) over.port = String(wire.port);
  return over.href;
}

const configOf = (world: string, store: object) => ({
  gateway: { drainSeconds: 0.3 },
  hooks: {
    enabled: true,
    token,
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ["lab:", "hook:"],
    budget: { runsPerDay: 1_000_000 },
    callbacks: { lab: { url: `${world}/result`, secret: callbackSecret } },
  },
  agents: {
    list: [{ id: "main", kind: "http", url: `${world}/agent` }],
    defaults: { heartbeat: { every: "0" } },
    maxConcurrent: 3,
    maxAttempts,
  },
  channels: { telegram: { token: "1:token", apiBase: world } },
  store,
  log: { level: "info", format: "json" },
});

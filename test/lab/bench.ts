// The bench that rounds are played on: nodes, their store, and the world around them. It stays for many rounds; only
// what a round has ended is started again.
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
import type { Told } from "./fail-points.ts";
import type { Life, Note } from "./history.ts";
import { createLabNode, type LabNode } from "./lab-node.ts";
import { startWire, type Wire } from "./proxy.ts";
import { startWorld, type World } from "./world.ts";

export type BenchNode = LabNode & { wire: Wire | null; output(): string };

/** A node at the point, with the work that it has in hand there. */
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
  /** Resolves with who stands still next. */
  reached(): Promise<Standing>;
  /** What went wrong by itself, such as a process that ended. */
  troubles(): string[];
  /** A new round: what was noted before is forgotten. Answers its name, which no other has had here. */
  begin(): string;
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
      const hear = (told: Told): void => {
        if (told.kind === "reached") standing.resolve({ node, id: told.id });
        else notes.push(told);
      };
      const node: BenchNode = Object.assign(
        createLabNode({
          name,
          configure,
          hear: (message) => message.kind !== "ready" && message.kind !== "armed" && hear(message),
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
      begin() {
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

export function letAllGo({ nodes, world }: Bench): void {
  world.letGo();
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

// The machine and the versions that a result was measured on.
import { cpus, loadavg, platform, release, totalmem } from "node:os";
import { DatabaseSync } from "node:sqlite";

export type Machine = {
  date: string;
  processor: string;
  memory: string;
  system: string;
  /** The one-minute load average before the measurement, other work included. */
  loadBefore: number;
  versions: Record<string, string>;
};

/** `rivals`: a version for each name, or null where it is not installed. */
export async function describeMachine(
  postgres: () => Promise<string>,
  rivals: Record<string, string | null>,
): Promise<Machine> {
  const processors = cpus();
  const database = new DatabaseSync(":memory:");
  const sqlite = String(database.prepare("select sqlite_version() as version").get()?.["version"]);
  database.close();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: `${processors.length} cores, ${processors[0]?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GB`,
    system: `${platform()} ${release()}`,
    loadBefore: loadavg()[0]!,
    versions: {
      Node: process.versions.node,
      SQLite: sqlite,
      PostgreSQL: await postgres(),
      ...Object.fromEntries(Object.entries(rivals).map(([name, version]) => [name, version ?? "missing"])),
    },
  };
}

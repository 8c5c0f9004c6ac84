// The matrix of the lab: the point of a node's work, the fault, the store, and the number of nodes.

/** The point of the work at which the fault strikes. Each is between two steps of Rouse. */
export const points = {
  accepted: "between response and claim",
  claimed: "between claim and start",
  running: "during a run",
  finished: "between run and settle",
  sent: "between send and bookkeeping",
} as const;
export type Point = keyof typeof points;

export const faults = {
  kill: "SIGKILL",
  stop: "clean stop",
  restart: "database restart",
  cut: "connection cut",
  full: "full disk",
  clock: "clock set",
  slow: "slow database",
} as const;
export type Fault = keyof typeof faults;

/** In them the store is away for a time. */
export const outages: ReadonlySet<Fault> = new Set(["restart", "cut", "full"]);

export type StoreKind = "sqlite" | "postgres";
export type Setting = { store: StoreKind; nodes: 1 | 3 };
export type Cell = Setting & { point: Point; fault: Fault };

export const settings: readonly Setting[] = [
  { store: "sqlite", nodes: 1 },
  { store: "postgres", nodes: 1 },
  { store: "postgres", nodes: 3 },
];

/**
 * SQLite is a file of one gateway: no server to restart, no connection to cut. PostgreSQL's disk is not ours to fill;
 * and to fill another one for a running process takes Linux.
 */
const faultsOn: Readonly<Record<StoreKind, readonly Fault[]>> = {
  sqlite: process.platform === "linux" ? ["kill", "stop", "clock", "full"] : ["kill", "stop", "clock"],
  postgres: ["kill", "stop", "restart", "cut", "clock", "slow"],
};

export const cells: readonly Cell[] = settings.flatMap((setting) =>
  faultsOn[setting.store].flatMap((fault) =>
    (Object.keys(points) as Point[]).map((point) => ({ ...setting, point, fault })),
  ),
);

/** These take long, mostly waiting. A test run has one point of them for each setting; `npm run lab` has all. */
const longFaults: ReadonlySet<Fault> = new Set(["clock", "slow"]);

/** For a test run: every cell but those of long faults, whose point the seed chooses. */
export function cellsForTests(seed: number): Cell[] {
  const names = Object.keys(points) as Point[];
  const chosen = names[seed % names.length];
  return cells.filter(({ fault, point }) => !longFaults.has(fault) || point === chosen);
}

export const settingName = ({ store, nodes }: Setting): string => `${store}-${nodes}`;
export const cellName = (cell: Cell): string => `${settingName(cell)}/${cell.point}/${cell.fault}`;

export const cellsOf = (setting: Setting, chosen: readonly Cell[] = cells): Cell[] =>
  chosen.filter((cell) => settingName(cell) === settingName(setting));

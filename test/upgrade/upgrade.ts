// Old and new nodes side by side over a migration, and what is wrong afterwards.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess, type Reply } from "../support/process.ts";
import { createRandom } from "../support/random.ts";
import { type Load, startLoad } from "../system/crash-load.ts";
import { createLab, type Lab } from "../system/lab.ts";
import { acceptedIn, faultsAfter, maxAttempts, moreAccepted } from "../system/rolling.ts";
import { configFor, startFaults, type Versions } from "./old-node.ts";

export type UpgradeOptions = {
  /** A folder with the older code, ready to run. */
  oldCode: string;
  databaseUrl: string;
  versions: Versions;
  seed: number;
  progress: (line: string) => void;
};

export type UpgradeResult = {
  faults: string[];
  sent: number;
  accepted: number;
  refused: number;
  runsByNode: object;
};

type Node = GatewayProcess & { name: string; url: string; state: "up" | "leaving" | "gone" };

/** Accepted before and after each thing that happens. */
const between = 80;
/** Above gateway.drainSeconds. */
const longestStopMs = 60_000;

export async function upgradeTest(options: UpgradeOptions): Promise<UpgradeResult> {
  const lab = createLab({ databaseUrl: options.databaseUrl, settings: { leaseSeconds: 2, maxAttempts } });
  try {
    return await upgradeIn(lab, options);
  } finally {
    await lab.remove();
  }
}

async function upgradeIn(
  lab: Lab,
  { oldCode, versions, seed, progress }: UpgradeOptions,
): Promise<UpgradeResult> {
  const nodes: Node[] = [];
  const faults: string[] = [];
  let refused = 0;
  const program = join(oldCode, "bin", "rouse.mjs");
  const oldConfig = configFor(lab, program);

  const start = async (name: string, old: boolean): Promise<Node> => {
    const gateway = await lab.start(old ? { program, config: oldConfig } : {});
    const node: Node = { ...gateway, name, state: "up" };
    nodes.push(node);
    watch(node, faults);
    progress(`${name} is ready`);
    return node;
  };
  const oldNodes = [await start("old-1", true), await start("old-2", true)];

  let turn = 0;
  const address = (): Promise<string> => {
    const there = nodes.filter(({ state }) => state !== "gone");
    return Promise.resolve(there[turn++ % there.length]!.url);
  };
  const onRefusal = (reply: Reply | null, _request: unknown, url: string): void => {
    refused++;
    const { name, state } = nodes.find((node) => node.url === url)!;
    const what = reply ? `${reply.status} ${JSON.stringify(reply.body)}` : "no answer";
    const isFine = state !== "up" && (reply === null || (reply.status === 503 && reply.retryAfter !== null));
    if (!isFine) faults.push(`${name} (${state}) gave ${what}`);
  };
  const load = startLoad({ address, random: createRandom(seed), betweenMs: 100, onRefusal });
  const goOn = (): Promise<void> => moreAccepted(load, between);

  try {
    await goOn();
    const newNode = await start("new-1", false);
    await goOn();
    await start("new-2", false);
    await goOn();
    if (versions.old < versions.new)
      faults.push(...(await startFaults(lab, { program, config: oldConfig }, versions)));
    await leave(oldNodes[0]!, faults, progress);
    await goOn();
    oldNodes[1]!.state = "leaving";
    await oldNodes[1]!.kill();
    oldNodes[1]!.state = "gone";
    progress("old-2 was killed");
    await goOn();

    const hasFences = existsSync(join(oldCode, "src/untrusted/fence.ts"));
    const wrong = await faultsAfter(lab, load, newNode.url);
    faults.push(...wrong.filter((fault) => hasFences || !fault.includes("was in no turn")));
    for (const node of nodes.filter(({ state }) => state === "up")) await leave(node, faults, progress);
  } catch (fault) {
    faults.push(String(fault));
  } finally {
    load.abandon();
  }
  faults.push(...nodes.flatMap(logFaults));
  return { faults, refused, ...countsOf(load, nodes) };
}

async function leave(node: Node, faults: string[], progress: (line: string) => void): Promise<void> {
  node.state = "leaving";
  const stopped = node.stop();
  const late = new Promise<null>((resolve) => setTimeout(resolve, longestStopMs, null).unref());
  const exit = await Promise.race([stopped, late]);
  if (exit === null) await node.kill();
  node.state = "gone";
  if (exit === null) faults.push(`${node.name} did not stop within ${longestStopMs} ms and was killed`);
  else if (exit.code !== 0) faults.push(`${node.name} ended with ${exit.code}`);
  progress(`${node.name} was stopped`);
}

/** None ends by itself. */
function watch(node: Node, faults: string[]): void {
  void node.exited.then(({ code }) => {
    if (node.state === "up") faults.push(`${node.name} ended by itself (${code})`);
  });
}

/** Five characters are the kind of a fault that PostgreSQL reported. */
const isSqlState = (kind: string | undefined): boolean => /^[0-9A-Z]{5}$/.test(kind ?? "");

function logFaults(node: Node): string[] {
  const bad = node.log().filter(({ level, kind }) => level === "error" || isSqlState(kind));
  return [...new Set(bad.map((entry) => `${node.name} logged: ${entry.message} (${entry.kind})`))];
}

function countsOf(load: Load, nodes: readonly Node[]) {
  const runsOf = (node: Node): number => node.log().filter(({ message }) => message === "run").length;
  const runsByNode = Object.fromEntries(nodes.map((node) => [node.name, runsOf(node)]));
  return { sent: load.sent.length, accepted: acceptedIn(load), runsByNode };
}

// Runs old and new nodes side by side over a migration, and reports every fault.
import { type GatewayProcess, type Reply } from "../support/process.ts";
import { createRandom } from "../support/random.ts";
import { type Load, startLoad } from "../system/crash-load.ts";
import { createLab, type Lab } from "../system/lab.ts";
import { acceptedIn, faultsAfter, maxAttempts, moreAccepted } from "../system/rolling.ts";
import { type Code, lateStartFaults, ownCode } from "./code.ts";

export type UpgradeOptions = {
  codes: { old: Code; new: Code };
  databaseUrl: string;
  seed: number;
  /** Requests accepted before and after each step. */
  between: number;
  progress?: (line: string) => void;
};

export type UpgradeResult = {
  faults: string[];
  sent: number;
  accepted: number;
  refused: number;
  runsByNode: object;
};

type Node = GatewayProcess & { name: string; url: string; state: "up" | "leaving" | "gone" };

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
  { codes, seed, between, progress = () => {} }: UpgradeOptions,
): Promise<UpgradeResult> {
  const nodes: Node[] = [];
  const faults: string[] = [];
  let refused = 0;

  const start = async (name: string, code: Code): Promise<Node> => {
    const gateway = await lab.start(code.launch(lab));
    const node: Node = { ...gateway, name, state: "up" };
    nodes.push(node);
    watch(node, faults);
    progress(`${name} is ready`);
    return node;
  };
  const oldNodes = [await start("old-1", codes.old), await start("old-2", codes.old)];
  // Opened while the schema is that of our own code; it goes on working on the next schema.
  let store = codes.old === ownCode ? await lab.openStore() : null;

  let turn = 0;
  const address = (): Promise<string> => {
    const there = nodes.filter(({ state }) => state !== "gone");
    return Promise.resolve(there[turn++ % there.length]!.url);
  };
  const onRefusal = (reply: Reply | null, _request: unknown, url: string): void => {
    refused++;
    const { name, state } = nodes.find((node) => node.url === url)!;
    const what = reply ? `${reply.status} ${JSON.stringify(reply.body)}` : "no response";
    const isFine = state !== "up" && (reply === null || (reply.status === 503 && reply.retryAfter !== null));
    if (!isFine) faults.push(`${name} (${state}) gave ${what}`);
  };
  const load = startLoad({ address, random: createRandom(seed), betweenMs: 100, onRefusal });
  const goOn = (): Promise<void> => moreAccepted(load, between);

  try {
    await goOn();
    const newNode = await start("new-1", codes.new);
    store ??= await lab.openStore();
    await goOn();
    await start("new-2", codes.new);
    await goOn();
    if (codes.old.schema < codes.new.schema)
      faults.push(...(await lateStartFaults(lab, codes.old, codes.new.schema)));
    await leave(oldNodes[0]!, faults, progress);
    await goOn();
    oldNodes[1]!.state = "leaving";
    await oldNodes[1]!.kill();
    oldNodes[1]!.state = "gone";
    progress("old-2 was killed");
    await goOn();

    faults.push(...(await faultsAfter({ lab, load, url: newNode.url, store })));
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

/** No node may end by itself. */
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

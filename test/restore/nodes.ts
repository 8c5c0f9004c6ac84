// Two gateways on one database: the hook token is rotated under both, and one of them hangs with a run in its hands.
import { execFile } from "node:child_process";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { promisify } from "node:util";
import { plainText } from "../../src/core/message.ts";
import { post, program, until } from "../support/process.ts";
import { agentBody, runStarted, createLab, ended, type Lab, sendAgent, token } from "../system/lab.ts";
import { createCluster, makeOwnFolder } from "./cluster.ts";
import type { Drill } from "./drill.ts";
import type { Verdict } from "./judge.ts";
import { gate, settings } from "./scene.ts";

const run = promisify(execFile);

export const nodesDrill: Drill = async ({ report }) => {
  const cluster = await createCluster(makeOwnFolder("restore-nodes"));
  const lab = createLab({ databaseUrl: cluster.url, settings });
  try {
    const nodes = [await lab.start(), await lab.start()];
    report("A node hangs", await hang(lab, nodes));
    report("The token is rotated", await rotate(lab, nodes));
  } finally {
    await lab.remove();
    await cluster.stop();
  }
};

type Node = { url: string; signal(name: NodeJS.Signals): void };

/** Another node takes the run over after the lease. When the first goes on, its reply is refused. */
async function hang(lab: Lab, [first, second]: readonly Node[]): Promise<Verdict> {
  if (!first || !second) throw new Error("two nodes are wanted");
  const store = await lab.openStore();
  const attempts = (runId: string): number =>
    lab.journal().filter((note) => note.kind === "start" && note.runId === runId).length;
  const runId = await sendAgent(first.url, {
    message: `[hold ${gate}]`,
    name: "hangs",
    sessionKey: "lab:hang",
  });
  await runStarted(lab, runId);
  const startedAt = performance.now();
  first.signal("SIGSTOP");
  try {
    const behind = await sendAgent(second.url, { message: "behind it", sessionKey: "lab:hang" });
    await until("it is taken over", () => attempts(runId) === 2);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    lab.release(gate);
    await ended(store, behind);
    const before = await store.findRun(runId);
    first.signal("SIGCONT");
    await ended(store, await sendAgent(first.url, { message: "after it" }));
    await until("no run is left", async () => unfinishedRuns(await store.backlog()) === 0);

    const after = await store.findRun(runId);
    const events = await store.listEvents({ limit: null });
    const summaries = events.filter(
      ({ source, text }) => source === "summary" && plainText(text).includes("hangs"),
    );
    const faults = [
      ...(after?.status === "succeeded" && after.attempts === 2
        ? []
        : ["it did not succeed at its second try"]),
      ...(JSON.stringify(before) === JSON.stringify(after) ? [] : ["the node that hung has changed it"]),
      ...(summaries.length === 1 ? [] : [`it has ${summaries.length} summaries`]),
    ];
    return { faults, saw: `its run was taken over after ${seconds} s, the lane went on, it ended once` };
  } finally {
    first.signal("SIGCONT");
  }
}

/** Callers with the old token are served until the rotation ends, and no caller is refused in between. */
async function rotate(lab: Lab, nodes: readonly Node[]): Promise<Verdict> {
  const command = (...words: string[]) =>
    run(process.execPath, [program, "token", "rotate", ...words, "--config", lab.config]);
  const body = agentBody({ message: "rotated" });
  /** By both; after many wrong ones a refusal is 429. */
  const get = async (given: string, wanted: readonly number[]): Promise<boolean> => {
    const replies = nodes.map(({ url }) => post({ url, hook: "agent", token: given, body }));
    return (await Promise.all(replies)).every(({ status }) => wanted.includes(status));
  };
  const served = (given: string): Promise<boolean> => get(given, [202]);
  const refused = (given: string): Promise<boolean> => get(given, [401, 429]);
  const faults: string[] = [];
  if (!(await served(token))) faults.push("the only token was not served");

  const fresh = (await command()).stdout.trim();
  await until("the new token counts on both", () => served(fresh), { everyMs: 200 });
  if (!(await served(token))) faults.push("the old token was refused before its end");

  await command("--finish");
  await until("the old token no longer counts", () => refused(token), { everyMs: 200 });
  if (!(await served(fresh))) faults.push("the new token was refused");
  return { faults, saw: "both nodes took it up while they ran" };
}

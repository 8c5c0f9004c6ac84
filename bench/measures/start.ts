// Time to ready and memory when idle, compared with the bare server. The first start only fills the compile cache.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { messageFrom, residentMegabytes, type Lab } from "../lab.ts";
import { row, type Result } from "../row.ts";
import { median, medianRatio } from "../statistics.ts";
import { writeConfig } from "../subjects/gateway.ts";

const command = fileURLToPath(new URL("../../bin/rouse.mjs", import.meta.url));
/** The pause before idle memory is read. */
const settleMs = 5000;

type Start = { readyMs: number; megabytes: number };

export async function measureStart(lab: Lab): Promise<Result> {
  const { file } = writeConfig(lab, {});
  const starts: [Start[], Start[]] = [[], []];
  for (let turn = 0; turn <= lab.effort.rounds; turn++) {
    lab.say(`start ${turn} of ${lab.effort.rounds}`);
    const bare = await startOnce(lab, () => lab.start("bare-server"), messageFrom);
    const ours = await startOnce(
      lab,
      () => startRouse(lab, file),
      (child) => once(child.stdout!, "data"),
    );
    if (turn === 0) continue;
    starts[0].push(bare);
    starts[1].push(ours);
  }
  const of = (which: 0 | 1, key: keyof Start): number[] => starts[which].map((each) => each[key]);
  const against = "bare node:http";
  const compared = (key: keyof Start) => ({ against, ratio: medianRatio(of(1, key), of(0, key)) });
  return {
    name: "start",
    title: "Start and idle memory",
    rows: [
      row("start to ready", median(of(1, "readyMs")), "ms", compared("readyMs")),
      row("memory when idle", median(of(1, "megabytes")), "MB", compared("megabytes")),
    ],
    notes: [],
  };
}

const startRouse = (lab: Lab, file: string): ChildProcess =>
  lab.run(process.execPath, [command, "serve", "--config", file, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });

async function startOnce(
  lab: Lab,
  launch: () => ChildProcess,
  ready: (child: ChildProcess) => Promise<unknown>,
): Promise<Start> {
  const startedAt = performance.now();
  const child = launch();
  await ready(child);
  const readyMs = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const megabytes = residentMegabytes(child.pid);
  await lab.end(child);
  return { readyMs, megabytes };
}

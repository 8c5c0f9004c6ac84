// Reads CPU profiles: node bench/profile.ts FOLDER [SECONDS], without the first SECONDS of start and warm-up.
// Create them with: npm run bench -- --only accept --profile FOLDER
// Prints for each profile the time per folder or library, and the functions with the most self time.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };

const mostFunctions = 25;
const idle = new Set(["(idle)", "(program)", "(root)"]);

function ownerOf({ functionName, url }: Node["callFrame"]): string {
  if (url === "") return functionName;
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined) return library;
  if (url.startsWith("node:")) return url.split("/").slice(0, 2).join("/");
  return /\/(src\/[^/]+)\//.exec(url)?.[1] ?? url.split("/").at(-1)!;
}

function report(file: string, leaveOutUs: number): void {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [byOwner, byFunction] = [new Map<string, number>(), new Map<string, number>()];
  let [busyUs, sinceStartUs] = [0, 0];
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id)!;
    const us = timeDeltas[at] ?? 0;
    sinceStartUs += us;
    if (idle.has(frame.functionName) || sinceStartUs < leaveOutUs) continue;
    busyUs += us;
    const name = `${frame.functionName || "(anonymous)"} ${frame.url.split("/").slice(-2).join("/")}:${frame.lineNumber + 1}`;
    byOwner.set(ownerOf(frame), (byOwner.get(ownerOf(frame)) ?? 0) + us);
    byFunction.set(name, (byFunction.get(name) ?? 0) + us);
  }
  const shown = (of: Map<string, number>, most: number): string =>
    [...of]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, us]) => `${((us / busyUs) * 100).toFixed(1).padStart(6)} %  ${name}`)
      .join("\n");
  console.log(
    `\n${file}: busy for ${(busyUs / 1_000_000).toFixed(2)} s\n${shown(byOwner, 14)}\n\n${shown(byFunction, mostFunctions)}`,
  );
}

const [folder, seconds = "0"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node bench/profile.ts FOLDER [SECONDS]");
for (const name of readdirSync(folder).filter((each) => each.endsWith(".cpuprofile")))
  report(join(folder, name), Number(seconds) * 1_000_000);

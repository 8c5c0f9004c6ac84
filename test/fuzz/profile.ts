// What a thread does all the time, sampled, so that a hold can say which functions it was in.
import { Session, type Profiler } from "node:inspector";

export type ThreadProfile = {
  /** The functions that the last so many milliseconds were spent in, most first; starts the profile anew. */
  since(ms: number): readonly string[];
  /** A profile that grows without end would be a hold of its own to read. */
  renew(): void;
};

const sampleUs = 1000;
const mostNamed = 8;
/** Frames of a stack that are counted; what is further out calls everything. */
const mostFrames = 12;

export function startProfile(): ThreadProfile {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: sampleUs });
  const start = (): void => session.post("Profiler.start");
  const stop = (): Profiler.Profile | null => {
    let profile: Profiler.Profile | null = null;
    // On the same thread it answers before it returns.
    session.post("Profiler.stop", (_fault, stopped) => (profile = stopped?.profile ?? null));
    return profile;
  };
  start();
  return {
    since(ms) {
      const profile = stop();
      start();
      return profile === null ? [] : namesOf(profile, profile.endTime - ms * 1000);
    },
    renew() {
      stop();
      start();
    },
  };
}

/** Each function of a sampled stack counts, so that it shows who called what took long. */
function namesOf(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  fromUs: number,
): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const spentUs = new Map<string, number>();
  let at = startTime;
  for (const [index, sample] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at < fromUs) continue;
    const names = new Set<string>();
    let id: number | undefined = sample;
    for (let frame = 0; id !== undefined && frame < mostFrames; frame++, id = callers.get(id))
      names.add(nameOf(byId.get(id)));
    for (const name of names) spentUs.set(name, (spentUs.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return [...spentUs]
    .filter(([name]) => name.includes(".") || name === "(garbage collector)")
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, mostNamed)
    .map(([name, us]) => `${name} ${Math.round(us / 1000)} ms`);
}

/** Only files of ours and of packages have a dot; `(idle)` and what Node does by itself do not. */
function nameOf(node: Profiler.ProfileNode | undefined): string {
  const { functionName = "", url = "", lineNumber = 0 } = node?.callFrame ?? {};
  if (!url.includes("/")) return functionName;
  return `${functionName || "(anonymous)"} (${url.split("/").slice(-2).join("/")}:${lineNumber + 1})`;
}

// A node as the lab sees it: one name, one process after another.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Stand } from "./fail-points.ts";
import { type Life, monotonicMs } from "./history.ts";
import type { FromNode, ToNode } from "./node.ts";

export type LabNode = {
  name: string;
  /** The name of its current or last process. */
  life(): string;
  pid(): number;
  /** Null while it does not listen. */
  url(): string | null;
  isAlive(): boolean;
  /** Starts its next process, and resolves when that is ready. */
  start(): Promise<void>;
  arm(stand: Stand): Promise<void>;
  release(): void;
  /** Sets its wall clock, until its process ends. */
  setClock(stepMs: number): Promise<void>;
  kill(): Promise<void>;
  /** SIGTERM. Resolves with its exit code or signal. */
  stop(): Promise<number | NodeJS.Signals | null>;
};

export type LabNodeOptions = {
  name: string;
  /** Writes the configuration for a process, and returns its path. */
  configure: (life: string) => string;
  hear: (message: FromNode) => void;
  born: (life: Life) => void;
  /** Called when a process ended without `kill` or `stop`. */
  lost: (life: string, end: string) => void;
};

type Going = {
  child: ChildProcess;
  life: Life;
  url: string | null;
  isToEnd: boolean;
  output: string;
  armed: PromiseWithResolvers<void>;
  stepped: PromiseWithResolvers<void>;
  ended: Promise<number | NodeJS.Signals | null>;
};

const program = fileURLToPath(new URL("./node.ts", import.meta.url));
const longestOutput = 200_000;

export function createLabNode({ name, configure, hear, born, lost }: LabNodeOptions): LabNode & {
  output(): string;
} {
  let count = 0;
  let going: Going | null = null;

  function launch(): { process: Going; ready: Promise<void> } {
    const life: Life = { name: `${name}.${++count}`, diedAt: null };
    const child = fork(program, [configure(life.name), life.name], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [],
    });
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<number | NodeJS.Signals | null>();
    const process: Going = {
      child,
      life,
      url: null,
      isToEnd: false,
      output: "",
      armed: Promise.withResolvers<void>(),
      stepped: Promise.withResolvers<void>(),
      ended: ended.promise,
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        process.output = (process.output + text).slice(-longestOutput);
      });
    }
    child.on("message", (message: FromNode) => {
      if (message.kind === "ready") {
        process.url = message.url;
        ready.resolve();
      } else if (message.kind === "armed") process.armed.resolve();
      else if (message.kind === "stepped") process.stepped.resolve();
      else hear(message);
    });
    child.on("close", (code, signal) => {
      process.url = null;
      life.diedAt ??= monotonicMs();
      if (!process.isToEnd) lost(life.name, String(code ?? signal));
      ready.reject(
        new Error(`${life.name} ended before it was ready (${code ?? signal}):\n${process.output}`),
      );
      ended.resolve(code ?? signal);
    });
    ready.promise.catch(() => {});
    born(life);
    return { process, ready: ready.promise };
  }

  const say = (message: ToNode): void => {
    if (going?.child.connected) going.child.send(message, () => {});
  };
  const isAlive = (): boolean => going !== null && going.life.diedAt === null;

  return {
    name,
    life: () => going?.life.name ?? `${name}.0`,
    pid: () => going?.child.pid ?? 0,
    url: () => going?.url ?? null,
    isAlive,
    output: () => going?.output ?? "",
    async start() {
      const { process, ready } = launch();
      going = process;
      await ready;
    },
    async arm(stand) {
      if (!going) return;
      going.armed = Promise.withResolvers<void>();
      say({ arm: stand });
      await Promise.race([going.armed.promise, going.ended]);
    },
    release: () => say({ release: true }),
    async setClock(stepMs) {
      if (!going) return;
      going.stepped = Promise.withResolvers<void>();
      say({ step: stepMs });
      await Promise.race([going.stepped.promise, going.ended]);
    },
    async kill() {
      if (!going || !isAlive()) return;
      going.isToEnd = true;
      going.url = null;
      going.life.diedAt = monotonicMs();
      going.child.kill("SIGKILL");
      await going.ended;
    },
    async stop() {
      if (!going) return null;
      going.isToEnd = true;
      going.child.kill("SIGTERM");
      return going.ended;
    },
  };
}

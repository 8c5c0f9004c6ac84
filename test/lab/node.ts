// A lab node: the real gateway in a process of its own, on a store port with fail points. The lab speaks to it over
// the channel that Node opens to a forked process, and a node whose lab is gone ends.
import { loadConfig } from "../../src/config/load.ts";
import { startGateway } from "../../src/gateway/gateway.ts";
import { openStore } from "../../src/store/open.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { settableWallClock } from "./wall-clock.ts";
import { createFailPoints, type FailPoints, type Stand, type NodeEvent } from "./fail-points.ts";

export type ToNode = { arm: Stand } | { release: true } | { step: number };
export type FromNode = NodeEvent | { kind: "ready"; url: string } | { kind: "armed" } | { kind: "stepped" };

async function main([config = "", life = ""]: readonly string[]): Promise<void> {
  const tell = (message: FromNode): void => {
    if (process.connected) process.send?.(message);
  };
  process.on("disconnect", () => process.exit(1));
  // The signal for a write beyond the limit; without a listener, it ends the process.
  process.on("SIGXFSZ", () => {});

  const setClock = settableWallClock();
  const loaded = loadConfig(config, process.env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  let points: FailPoints | undefined;
  const opening = openStore(loaded.config.store).then((store) => {
    points = createFailPoints(store, life, tell);
    return points.store;
  });
  process.on("message", (message: ToNode) => {
    if ("release" in message) points?.release();
    else if ("step" in message) {
      setClock(message.step);
      tell({ kind: "stepped" });
    } else void points?.arm(message.arm).then(() => tell({ kind: "armed" }));
  });
  const log = createLog(loaded.config.log);
  const gateway = await startGateway({ loaded, store: opening, env: process.env, log, port: 0 });
  process.on("SIGTERM", () => void gateway.stop().then(() => process.exit(0)));
  tell({ kind: "ready", url: `http://${gateway.host}:${gateway.port}` });
}

await main(process.argv.slice(2));

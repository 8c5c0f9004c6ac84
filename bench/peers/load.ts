// Each rival is loaded when it is measured, since not all are installed.
import type { OpenPeer, PeerOptions } from "./peer.ts";

export const peerNames = ["bullmq", "pg-boss", "graphile-worker", "dbos", "restate"] as const;
export type PeerName = (typeof peerNames)[number];

export async function loadPeer(name: PeerName): Promise<(options: PeerOptions) => Promise<OpenPeer>> {
  switch (name) {
    case "bullmq":
      return (await import("./bullmq.ts")).open;
    case "pg-boss":
      return (await import("./pg-boss.ts")).open;
    case "graphile-worker":
      return (await import("./graphile-worker.ts")).open;
    case "dbos":
      return (await import("./dbos.ts")).open;
    case "restate":
      return (await import("./restate.ts")).open;
  }
}

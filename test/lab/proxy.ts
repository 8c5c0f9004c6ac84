// A wire between a node and its database that can be cut.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Wire = {
  port: number;
  /** Breaks open connections and refuses new ones until `mend`. Returns how many were open. */
  cut(): number;
  /** Passes nothing on in either direction and breaks nothing, as when a machine is gone. */
  hush(): void;
  mend(): void;
  close(): void;
};

export async function startWire(targetPort: number): Promise<Wire> {
  const open = new Set<Socket>();
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy();
    const far = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
    open.add(near);
    near.on("close", () => open.delete(near));
    for (const end of [near, far]) {
      ends.add(end);
      end.on("close", () => ends.delete(end));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = (): number => {
    const count = open.size;
    for (const socket of open) socket.resetAndDestroy();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      return breakAll();
    },
    hush() {
      for (const end of ends) end.unpipe().pause();
    },
    mend: () => void (isCut = false),
    close() {
      breakAll();
      server.close();
    },
  };
}

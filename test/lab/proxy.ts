// A wire between a node and its database that can be cut, or made long.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { Transform } from "node:stream";

export type Wire = {
  port: number;
  /** Breaks open connections and refuses new ones until `mend`. Returns how many were open. */
  cut(): number;
  /** Passes nothing on in either direction and breaks nothing, as when a machine is gone. */
  hush(): void;
  /** From now on every packet takes this long each way, and up to `jitterMs` longer. Packets stay in order. */
  slow(way: Way): void;
  /** Ends `cut` and `slow`. */
  mend(): void;
  close(): void;
};

export type Way = { ms: number; jitterMs: number };
const short: Way = { ms: 0, jitterMs: 0 };

export async function startWire(targetPort: number): Promise<Wire> {
  const open = new Set<Socket>();
  const ends = new Set<Socket>();
  let isCut = false;
  let way = short;
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
      from.pipe(lag(() => way)).pipe(to);
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
    slow: (next) => void (way = next),
    mend() {
      isCut = false;
      way = short;
    },
    close() {
      breakAll();
      server.close();
    },
  };
}

/** Passes chunks on in order, each when its time has come. A chunk does not wait for the one before to be passed on. */
function lag(way: () => Way): Transform {
  let dueAt = 0;
  const chunks: unknown[] = [];
  return new Transform({
    transform(chunk, _encoding, done) {
      const { ms, jitterMs } = way();
      const now = performance.now();
      dueAt = Math.max(dueAt, now + ms + jitterMs * Math.random());
      if (chunks.length === 0 && dueAt <= now) return done(null, chunk);
      chunks.push(chunk);
      setTimeout(() => void (this.destroyed || this.push(chunks.shift())), dueAt - now);
      done();
    },
    flush(done) {
      setTimeout(done, Math.max(0, dueAt - performance.now()) + 1);
    },
  });
}

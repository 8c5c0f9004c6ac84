// Reads the events that a program writes while it works.
import type { AgentInput } from "../../agent.ts";
import { createLineReader } from "../../../processes/lines.ts";
import { nothingSeen, type Preset, type Seen } from "./preset.ts";

export type Updates = {
  take(chunk: Buffer): void;
  /** Fires when the program must be stopped. */
  signal: AbortSignal;
  end(): Promise<{ seen: Seen; tooLong: boolean }>;
};

/** An event may hold the whole result of a tool. */
const longestLineBytes = 16_777_216;

export function createUpdates(
  read: ReturnType<Preset["readerFor"]>,
  onActing: AgentInput["onActing"],
  longestReply: number,
): Updates {
  const stop = new AbortController();
  let seen = nothingSeen;
  let tooLong = false;
  let announced = Promise.resolve();
  const onTooLong = () => {
    tooLong = true;
    stop.abort();
  };
  const onLine = (line: string) => {
    const hadActed = hasActed(seen);
    seen = read(seen, parsed(line));
    if (seen.reply.length > longestReply) onTooLong();
    if (!hadActed && hasActed(seen)) announced = announce(onActing, stop);
  };
  const lines = createLineReader(Math.max(longestLineBytes, longestReply), { onLine, onTooLong });
  return {
    take: lines.take,
    signal: stop.signal,
    async end() {
      lines.end();
      await announced;
      return { seen, tooLong };
    },
  };
}

export const hasActed = ({ calls }: Seen): boolean =>
  calls.some(({ changes, refused }) => changes && !refused);

/** The program does not ask before it acts, so it is stopped afterwards when it was not permitted. */
async function announce(onActing: AgentInput["onActing"], stop: AbortController): Promise<void> {
  const allowed = await onActing().catch(() => false);
  if (!allowed) stop.abort();
}

/** Null for the remarks that some programs write between their events. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

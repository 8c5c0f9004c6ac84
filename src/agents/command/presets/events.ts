// Reads the events that a program writes while it works.
import type { AgentInput } from "../../agent.ts";
import { createLineReader, mostOutputBytes, objectOn } from "../../../processes/lines.ts";
import { mostCalls, nothingSeen, type Preset, type Seen } from "./preset.ts";

export type Updates = {
  take(chunk: Buffer): void;
  /** Fires when the program must be stopped. */
  signal: AbortSignal;
  /** `tooMuch`: the limit that it has exceeded, in words. */
  end(): Promise<{ seen: Seen; tooMuch: string | null }>;
};

/** An event may hold the whole result of a tool. */
const longestLineBytes = 16_777_216;

export function createUpdates(
  read: ReturnType<Preset["readerFor"]>,
  { onActing, onEvent = () => {} }: Pick<AgentInput, "onActing" | "onEvent">,
  longestReply: number,
): Updates {
  const stop = new AbortController();
  let seen = nothingSeen;
  let tooMuch: string | null = null;
  let bytes = 0;
  let announced = Promise.resolve();
  const giveUp = (limit: string) => {
    tooMuch ??= limit;
    stop.abort();
  };
  const onLine = (line: string) => {
    const hadActed = hasActed(seen);
    seen = read(seen.told.length === 0 ? seen : { ...seen, told: [] }, objectOn(line));
    seen.told.forEach(onEvent);
    if (seen.reply.length > longestReply) giveUp(`more than ${longestReply} bytes`);
    if (seen.calls.length > mostCalls) giveUp(`more than ${mostCalls} calls of tools`);
    if (!hadActed && hasActed(seen)) announced = announce(onActing, stop);
  };
  const longestLine = Math.max(longestLineBytes, longestReply);
  const onTooLong = () => giveUp(`a line of more than ${longestLine} bytes`);
  const lines = createLineReader(longestLine, { onLine, onTooLong });
  return {
    take(chunk) {
      // It may go on writing until it has ended.
      if (tooMuch !== null) return;
      bytes += chunk.length;
      if (bytes > mostOutputBytes) giveUp(`more than ${mostOutputBytes} bytes`);
      else lines.take(chunk);
    },
    signal: stop.signal,
    async end() {
      lines.end();
      await announced;
      return { seen, tooMuch };
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

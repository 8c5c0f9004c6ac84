// The server's own hints: the connection is kept in IDLE, and made again when it ends.
import type { ImapFlow } from "imapflow";
import type { Clock } from "../../core/clock.ts";
import { backOffMs } from "../../core/retry.ts";
import { MailFault } from "../mailbox.ts";
import type { Connection } from "./connection.ts";

const backOff = { firstMs: 1000, longestMs: 300_000 };
/** A connection that lasted this long was a good one. */
const steadyMs = 60_000;

export type WatchOptions = { connection: Connection; clock: Clock; random: () => number };

/** Until the signal, or until the login is refused. Everything else is tried again. */
export async function watch(
  { connection, clock, random }: WatchOptions,
  onHint: () => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = clock.now();
    try {
      await connection.use(({ client }) => hintsUntilClosed(client, onHint), signal);
    } catch (fault) {
      if (fault instanceof MailFault && fault.kind === "reauth") throw fault;
    }
    failures = clock.now() - startedAt >= steadyMs ? 1 : failures + 1;
    if (!signal.aborted) await rest(clock, backOffMs(failures, backOff, random()), signal);
  }
  connection.drop();
}

/** The first hint is for what came while nobody watched. */
function hintsUntilClosed(client: ImapFlow, onHint: () => void): Promise<void> {
  return new Promise((resolve) => {
    client.on("exists", onHint);
    client.once("close", resolve);
    if (client.usable) onHint();
    else resolve();
  });
}

const rest = (clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      takeBack();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const takeBack = clock.after(delayMs, wake);
    signal.addEventListener("abort", wake, { once: true });
  });

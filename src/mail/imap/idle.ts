// Hints from the server: keeps the connection in IDLE, and opens another when it is lost.
import type { ImapFlow } from "imapflow";
import type { Clock } from "../../core/clock.ts";
import { backOffMs } from "../../core/retry.ts";
import { MailFault } from "../mailbox.ts";
import type { Connection } from "./connection.ts";

const backOff = { firstMs: 1000, longestMs: 300_000 };
/** After a connection that lasted this long, the back-off starts again. */
const steadyMs = 60_000;

export type IdleOptions = { connection: Connection; clock: Clock; random: () => number };

/** Idles until the signal, or until the login is refused. After any other failure it connects again. */
export async function idle(
  { connection, clock, random }: IdleOptions,
  onHint: () => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    try {
      await connection.stay(({ client }) => hintsUntilClosed(client, onHint), signal);
    } catch (fault) {
      if (fault instanceof MailFault && fault.kind === "reauth") throw fault;
    }
    failures = clock.monotonic() - startedAt >= steadyMs ? 1 : failures + 1;
    if (!signal.aborted) await rest(clock, backOffMs(failures, backOff, random()), signal);
  }
  connection.drop();
}

/** Starts with a hint: mail may have come while there was no connection. */
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
    const finish = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancelTimer = clock.after(delayMs, finish);
    signal.addEventListener("abort", finish, { once: true });
  });

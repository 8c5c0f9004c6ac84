// One connection to one mailbox, opened when it is needed and shared by all who need it. The mailbox is opened with
// EXAMINE, and bodies are fetched with PEEK: nothing in it is ever changed.
import type { ImapFlow, ImapFlowOptions, MailboxObject } from "imapflow";
import type { MailAccountConfig } from "../../config/config.ts";
import { MailFault } from "../mailbox.ts";
import { toFault } from "./faults.ts";

export type Opened = { readonly client: ImapFlow; readonly mailbox: MailboxObject };

export type Connection = {
  /** Works with the open mailbox; `fresh` opens it anew, so that its numbers are those of now. Throws MailFaults. */
  use<T>(work: (opened: Opened) => Promise<T>, signal: AbortSignal, fresh?: boolean): Promise<T>;
  /** Ends the connection there is; the next use makes another. */
  drop(): void;
};

const mebibyte = 1_048_576;

const optionsFor = ({ host, port, encryption, user, login }: MailAccountConfig): ImapFlowOptions => ({
  host,
  port,
  secure: encryption === "tls",
  ...(encryption !== "tls" && { doSTARTTLS: encryption === "starttls" }),
  auth: "password" in login ? { user, pass: login.password } : { user, accessToken: login.accessToken },
  logger: false,
  clientInfo: { name: "rouse" },
  disableCompression: true,
  autoIdleDelay: 500,
  /** RFC 2177: under 29 minutes; many routers forget a quiet connection much earlier. */
  maxIdleTime: 10 * 60_000,
  connectionTimeout: 30_000,
  socketTimeout: 2 * 60_000,
  maxLineLength: 32 * mebibyte,
  maxLiteralSize: 32 * mebibyte,
  maxResponseSize: 64 * mebibyte,
});

export function createConnection(config: MailAccountConfig): Connection {
  let current: Promise<ImapFlow> | null = null;
  let client: ImapFlow | null = null;

  async function connect(): Promise<ImapFlow> {
    const { ImapFlow } = await import("imapflow");
    const made = new ImapFlow(optionsFor(config));
    client = made;
    // Whoever waits for a command gets the failure too, and "close" follows; unheard, this would end the process.
    made.on("error", () => {});
    made.on("close", () => forget(made));
    try {
      await made.connect();
      return made;
    } catch (cause) {
      made.close();
      throw cause;
    }
  }

  function shared(): Promise<ImapFlow> {
    if (current !== null) return current;
    const attempt = connect();
    current = attempt;
    attempt.catch(() => {
      if (current === attempt) current = null;
    });
    return attempt;
  }

  const forget = (closed: ImapFlow): void => {
    if (client !== closed) return;
    client = null;
    current = null;
  };

  const drop = (): void => {
    const open = client;
    if (open === null) return;
    forget(open);
    open.close();
  };

  async function tryToOpen(fresh: boolean): Promise<Opened> {
    const open = await shared();
    const known = fresh ? false : open.mailbox;
    const mailbox = known || (await open.mailboxOpen(config.mailbox, { readOnly: true }));
    if (!mailbox) throw new MailFault("retry", "the connection was lost");
    return { client: open, mailbox };
  }

  /** A connection from earlier may have ended without a word: then another one is tried at once. */
  async function openMailbox(fresh: boolean, signal: AbortSignal): Promise<Opened> {
    const earlier = client?.usable ? client : null;
    try {
      return await tryToOpen(fresh);
    } catch (cause) {
      if (signal.aborted || earlier === null || earlier.usable) throw cause;
      return tryToOpen(fresh);
    }
  }

  return {
    drop,
    async use(work, signal, fresh = false) {
      signal.throwIfAborted();
      signal.addEventListener("abort", drop, { once: true });
      try {
        const opened = await openMailbox(fresh, signal);
        if (signal.aborted) drop();
        signal.throwIfAborted();
        return await work(opened);
      } catch (cause) {
        signal.throwIfAborted();
        throw toFault(cause);
      } finally {
        signal.removeEventListener("abort", drop);
      }
    },
  };
}

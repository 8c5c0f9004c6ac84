// One connection to one mailbox, opened at its first use and shared by all users. The mailbox is opened with EXAMINE,
// and bodies are fetched with PEEK: nothing in it is ever changed.
import type { ImapFlow, ImapFlowOptions, MailboxObject } from "imapflow";
import type { MailAccountConfig } from "../../config/config.ts";
import { MailFault } from "../mailbox.ts";
import { toFault } from "./faults.ts";
import { imapLimits, withinLimits } from "./limits.ts";

export type Opened = { readonly client: ImapFlow; readonly mailbox: MailboxObject };

export type Connection = {
  /**
   * Works with the open mailbox, within the limits of a request; `fresh` opens it again, so that its counts are up to
   * date. Throws MailFaults.
   */
  use<T>(work: (opened: Opened) => Promise<T>, signal: AbortSignal, fresh?: boolean): Promise<T>;
  /** The same without an end. */
  stay(work: (opened: Opened) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Closes the connection; the next use opens another. */
  drop(): void;
};

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
  /** RFC 2177 asks for less than 29 minutes; many routers drop a silent connection much earlier. */
  maxIdleTime: 10 * 60_000,
  ...imapLimits,
});

export function createConnection(config: MailAccountConfig): Connection {
  const shared = createSharedClient(config);

  async function openOnce(fresh: boolean): Promise<Opened> {
    const client = await shared.connected();
    const known = fresh ? false : client.mailbox;
    const mailbox =
      known || (await shared.withinLimits(client, client.mailboxOpen(config.mailbox, { readOnly: true })));
    if (!mailbox) throw new MailFault("retry", "the connection was lost");
    return { client, mailbox };
  }

  /** An idle connection may be dead without a sign of it, so a failure on one leads to a second try on a new one. */
  async function open(fresh: boolean, signal: AbortSignal): Promise<Opened> {
    const earlier = shared.usable();
    try {
      return await openOnce(fresh);
    } catch (cause) {
      if (signal.aborted || earlier === null || earlier.usable) throw cause;
      return openOnce(fresh);
    }
  }

  async function run<T>(
    work: (opened: Opened) => Promise<T>,
    signal: AbortSignal,
    fresh: boolean,
  ): Promise<T> {
    signal.throwIfAborted();
    signal.addEventListener("abort", shared.drop, { once: true });
    try {
      const opened = await open(fresh, signal);
      if (signal.aborted) shared.drop();
      signal.throwIfAborted();
      return await work(opened);
    } catch (cause) {
      signal.throwIfAborted();
      throw toFault(cause);
    } finally {
      signal.removeEventListener("abort", shared.drop);
    }
  }

  return {
    drop: shared.drop,
    stay: (work, signal) => run(work, signal, false),
    use: (work, signal, fresh = false) =>
      run((opened) => shared.withinLimits(opened.client, work(opened)), signal, fresh),
  };
}

type SharedClient = {
  /** The client that is connected, or a new one. */
  connected(): Promise<ImapFlow>;
  /** The client that is connected, as far as is known; null: there is none. */
  usable(): ImapFlow | null;
  /** Closes the connection when the server exceeds them. */
  withinLimits<T>(client: ImapFlow, work: Promise<T>): Promise<T>;
  drop(): void;
};

function createSharedClient(config: MailAccountConfig): SharedClient {
  let client: ImapFlow | null = null;
  let connecting: Promise<ImapFlow> | null = null;

  const forget = (closed: ImapFlow): void => {
    if (client !== closed) return;
    client = null;
    connecting = null;
  };

  async function connect(): Promise<ImapFlow> {
    const { ImapFlow } = await import("imapflow");
    const created = new ImapFlow(optionsFor(config));
    client = created;
    // Commands in progress reject, and "close" follows; an "error" without a listener would end the process.
    created.on("error", () => {});
    created.on("close", () => forget(created));
    try {
      await withinLimits(created, created.connect());
      return created;
    } catch (cause) {
      created.close();
      throw cause;
    }
  }

  return {
    connected() {
      if (connecting !== null) return connecting;
      const attempt = connect();
      connecting = attempt;
      attempt.catch(() => {
        if (connecting === attempt) connecting = null;
      });
      return attempt;
    },
    usable: () => (client?.usable ? client : null),
    async withinLimits(used, work) {
      try {
        return await withinLimits(used, work);
      } catch (cause) {
        // One of ours: the client still waits for the server.
        if (cause instanceof MailFault && used.usable) used.close();
        throw cause;
      }
    },
    drop() {
      const open = client;
      if (open === null) return;
      forget(open);
      open.close();
    },
  };
}

// A durable queue that a Node program could put behind a webhook of its own: it stores work before it
// responds, and a worker in the same process calls the agent.

/** A POST to the agent; resolves with its reply. */
export type CallAgent = (id: string) => Promise<void>;

export type PeerOptions = {
  /** Its database: a PostgreSQL URL, or the port of a Redis. */
  address: string;
  concurrency: number;
  /** Null: work is accepted and stays stored. */
  callAgent: CallAgent | null;
};

export type OpenPeer = {
  /** Resolves once the work is durable. */
  accept(id: string, payload: unknown): Promise<void>;
  hasUnfinished(): Promise<boolean>;
};

export type Work = { id: string; payload: unknown };

// What operators did through the API, the console or a command, without payloads and secrets.

export type AuditOutcome = "done" | "refused" | "failed";

export type NewAuditEntry = {
  id: string;
  /** Who: `token`, `session ID`, `cli` or `mcp`. */
  actor: string;
  /** `run.cancel`, `request.replay`, `config.write` … */
  verb: string;
  /** What it was done to: ids, names, a filter. */
  subject: string;
  outcome: AuditOutcome;
};

export type AuditEntry = NewAuditEntry & { seq: number; createdAt: number };

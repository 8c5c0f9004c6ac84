// What operators did.
import type { AuditEntry, NewAuditEntry } from "../../core/audit.ts";
import type { Found, Search } from "./search.ts";

export type AuditSearch = Pick<Search, "limit" | "before" | "since" | "until"> & {
  actors?: readonly string[];
  verbs?: readonly string[];
  outcomes?: readonly string[];
};

export type Audit = {
  addAudit(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  searchAudit(search: AuditSearch): Promise<Found<AuditEntry>>;
};

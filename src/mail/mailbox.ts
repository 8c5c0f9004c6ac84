// The mailbox port. Only the cursor decides what is new; a notification makes a sync start earlier.

export type Mail = {
  /** The provider's own id, which never changes and never comes twice in an account. */
  readonly id: string;
  readonly threadId: string | null;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** ISO 8601: when the provider took it in. */
  readonly date: string;
  readonly snippet: string;
  /** Plain text, at most the configured number of bytes; empty when bodies are not wanted. */
  readonly body: string;
  readonly bodyTruncated: boolean;
  readonly labels: readonly string[];
  /** Listed, never loaded. */
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
};

export type Changes =
  /** `ids` in order of arrival, each once; `cursor` is where the next sync starts. */
  | { readonly kind: "changes"; readonly ids: readonly string[]; readonly cursor: string }
  /** The provider no longer knows the cursor, and cannot say what came since. */
  | { readonly kind: "expired" };

export type CatchUp = {
  readonly ids: readonly string[];
  readonly cursor: string;
  /** How many were left out because of the limits; null: not known. */
  readonly skipped: number | null;
};

export type Fetched =
  | { readonly kind: "mail"; readonly mail: Mail }
  /** Deleted before it could be read. */
  | { readonly kind: "gone" }
  /** Spam, trash, a draft, sent by the owner, or no longer under the label. */
  | { readonly kind: "excluded" };

/** All of these throw a MailFault when they fail. */
export type Mailbox = {
  readonly account: string;
  /** The current cursor: mail before it is never read. */
  baseline(signal: AbortSignal): Promise<string>;
  changes(cursor: string, signal: AbortSignal): Promise<Changes>;
  /** After an expired cursor: mail since then (epoch milliseconds; null: not known), oldest first, within limits. */
  catchUp(
    since: number | null,
    limits: { maxAgeMs: number; maxMessages: number },
    signal: AbortSignal,
  ): Promise<CatchUp>;
  fetch(id: string, signal: AbortSignal): Promise<Fetched>;
};

/**
 * `retry`: it may pass by itself, after `retryAfterMs` where the provider says so. `reauth`: the login is refused, and
 * only a new login helps. `broken`: a setting or the provider is wrong; it is tried again, too.
 */
export class MailFault extends Error {
  override name = "MailFault";
  readonly kind: "retry" | "reauth" | "broken";
  readonly retryAfterMs: number | null;
  constructor(kind: MailFault["kind"], message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

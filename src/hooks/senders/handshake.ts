// Questions that senders ask before they send events: may they, is the address ours, do we know the secret.
import type { SenderHead, SenderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";

export type Answer = {
  readonly status: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HandshakeDeps = {
  readonly settings: SenderSettings;
  /** Null: nobody waits for a key, so a key that comes by request is refused. */
  readonly pairing: Pairing | null;
};

/** A window in which the first key that arrives by request is taken. */
export type Pairing = {
  /** True: stored durably, once, as this sender's key. */
  take(secret: string): Promise<boolean>;
};

/**
 * A question that comes without a body, or whose body needs no proof. Its answer must never be something that the
 * sender's key signs (`docs/decisions/010-senders.md`).
 */
export type OpenHandshake = {
  readonly proven: false;
  readonly method: "GET" | "HEAD" | "OPTIONS" | "POST";
  /** Whether this request asks the question. With a body only where `method` is POST. */
  asks(request: SenderRequest, settings: SenderSettings): boolean;
  /** Null: asked wrongly; the answer is the same 401 as for a failed proof. */
  answer(request: SenderRequest, deps: HandshakeDeps): Answer | null | Promise<Answer | null>;
};

export type ProvenDeps = {
  /** The one that the request was proven with. */
  readonly secret: string | null;
  /** Asks an address each time; bounded in size and time. */
  readonly fetchText: (url: string) => Promise<string>;
};

/** A question inside of a proven request. */
export type ProvenHandshake = {
  readonly proven: true;
  asks(request: SenderRequest): boolean;
  answer(request: SenderRequest, deps: ProvenDeps): Answer | null | Promise<Answer | null>;
};

export type Handshake = OpenHandshake | ProvenHandshake;

/** A challenge that goes back as it came: short, and nothing that a browser would run. */
export function echo(challenge: string, type = "text/plain; charset=utf-8"): Answer | null {
  if (challenge === "" || Buffer.byteLength(challenge) > longestChallenge) return null;
  return { status: 200, type, headers: { "X-Content-Type-Options": "nosniff" }, body: challenge };
}

export const echoJson = (value: Readonly<Record<string, string>>): Answer => ({
  status: 200,
  type: "application/json; charset=utf-8",
  headers: { "X-Content-Type-Options": "nosniff" },
  body: JSON.stringify(value),
});

const longestChallenge = 1024;

/** A word that is never a body, an event or a signed text of any sender. */
export const plainWord = /^[A-Za-z0-9_-]{1,128}$/;

/** One value of the query; null when there is none or it stands twice. */
export function queryValue({ target }: SenderHead, name: string): string | null {
  const at = target.indexOf("?");
  const values = at === -1 ? [] : new URLSearchParams(target.slice(at + 1)).getAll(name);
  return values.length === 1 ? values[0]! : null;
}

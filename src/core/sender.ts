// How the calls of senders went, as it is stored for `rouse senders`: numbers and classes, nothing of a request.

/** `proven`, or the class of a failed proof. */
export const callResults = [
  "proven",
  "header-missing",
  "malformed",
  "wrong-secret",
  "body-changed",
  "too-old",
  "too-new",
  "not-paired",
  "body-timeout",
  "body-too-large",
] as const;

export type CallResult = (typeof callResults)[number];

/** Calls of one sender with one result, to be added to what is stored. */
export type SenderCalls = {
  readonly name: string;
  readonly result: CallResult;
  readonly calls: number;
  /** How long ago the last one was. */
  readonly agoMs: number;
  /** How far the sender's time was from ours at the last one; null where it named none. */
  readonly skewMs: number | null;
};

export type CallCount = {
  readonly result: CallResult;
  readonly calls: number;
  readonly lastAt: number;
  readonly skewMs: number | null;
};

export type SenderRecord = {
  readonly name: string;
  readonly calls: readonly CallCount[];
  /** Of a key that arrived by request; null where there is none. */
  readonly keyTakenAt: number | null;
  /** For how long a key that arrives by request is taken; null while none is. */
  readonly pairingMs: number | null;
};

/** The longest window in which a key is taken. */
export const longestPairingMs = 3_600_000;

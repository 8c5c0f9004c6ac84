// The catalogue of errors a caller can get: status, message, and whether a retry can help.
// A refused request is a plain value (a stack costs more than the whole request); errors with a stack are for faults.

export const catalogue = {
  "bad-request": { status: 400, retry: false, text: "The request is not well-formed HTTP." },
  "request-timeout": { status: 408, retry: true, text: "The request did not arrive in time." },
  "headers-too-large": { status: 431, retry: false, text: "The request's headers are too large." },
  "expectation-failed": {
    status: 417,
    retry: false,
    text: "The only expectation supported is 100-continue.",
  },
  "unsupported-version": {
    status: 505,
    retry: false,
    text: "The only versions of HTTP supported here are 1.0 and 1.1.",
  },
  "unsupported-transfer-coding": {
    status: 501,
    retry: false,
    text: "The only transfer coding supported is chunked.",
  },
  "not-found": {
    status: 404,
    retry: false,
    text: "There is nothing at this path. While hooks are enabled, they are under hooks.path, such as /hooks/agent.",
  },
  "token-in-query": {
    status: 400,
    retry: false,
    text: "Send the token in the Authorization header, never in the query string.",
  },
  "method-not-allowed": {
    status: 405,
    retry: false,
    text: "This method is not allowed here: send POST to a hook, GET to a run's result or to /metrics, as the Allow header says.",
  },
  "repeated-header": {
    status: 400,
    retry: false,
    text: "A header that may stand only once was sent more than once.",
  },
  unauthorized: {
    status: 401,
    retry: false,
    text: "The token is missing or wrong. Send it as Authorization: Bearer TOKEN.",
  },
  "push-unauthorized": {
    status: 401,
    retry: false,
    text: "The push does not carry the OIDC token that hooks.gmail.oidc describes.",
  },
  "too-many-failures": {
    status: 429,
    retry: true,
    text: "Too many wrong tokens came from this address. Wait, then send the right one.",
  },
  "unknown-hook": {
    status: 404,
    retry: false,
    text: "No hook has this name: use wake, agent, or the path of a mapping.",
  },
  "unknown-run": {
    status: 404,
    retry: false,
    text: "There is no run with this id whose result this token may read.",
  },
  "run-expired": {
    status: 410,
    retry: false,
    text: "A run of this age is not kept any more: see store.retention.",
  },
  "body-too-large": { status: 413, retry: false, text: "The body is larger than hooks.maxBodyBytes allows." },
  "body-timeout": { status: 408, retry: true, text: "The body did not arrive in time." },
  "unsupported-media-type": {
    status: 415,
    retry: false,
    text: "Send JSON, with the header Content-Type: application/json. A mapped hook also takes forms and XML: application/x-www-form-urlencoded, multipart/form-data, application/xml and text/xml, in UTF-8.",
  },
  "unsupported-encoding": { status: 415, retry: false, text: "Send the body without a content encoding." },
  "invalid-json": { status: 400, retry: false, text: "The body is not valid JSON in UTF-8." },
  "invalid-body": {
    status: 400,
    retry: false,
    text: "The form or XML in the body is broken or not in UTF-8, or has more in it than is read.",
  },
  "invalid-payload": { status: 400, retry: false, text: "The payload has fields that cannot be accepted." },
  "session-key-not-allowed": {
    status: 400,
    retry: false,
    text: "This session key may not be used: the main session's is reserved, and requests may set one only when hooks.allowRequestSessionKey is true.",
  },
  "session-key-prefix": {
    status: 400,
    retry: false,
    text: "The session key must start with one of hooks.allowedSessionKeyPrefixes.",
  },
  "agent-not-allowed": {
    status: 400,
    retry: false,
    text: "Routing to this agent is not allowed by hooks.allowedAgentIds.",
  },
  "agent-unknown": {
    status: 400,
    retry: false,
    text: "No agent has this id, and agents.unknown refuses unknown ones.",
  },
  "model-not-allowed": { status: 400, retry: false, text: "This model is not in agents.defaults.models." },
  "channel-unknown": {
    status: 400,
    retry: false,
    text: "No channel has this name: use last, or the name of a channel.",
  },
  "callback-unknown": {
    status: 400,
    retry: false,
    text: "No callback has this name, or it is one that only a mapping can use: see hooks.callbacks.",
  },
  "invalid-idempotency-key": {
    status: 400,
    retry: false,
    text: "The Idempotency-Key must be one header of 1 to 255 visible characters.",
  },
  "idempotency-mismatch": {
    status: 422,
    retry: false,
    text: "This Idempotency-Key was used before with another body.",
  },
  "mapping-failed": {
    status: 500,
    retry: true,
    text: "The mapping could not turn this request into an action.",
  },
  "internal-error": { status: 500, retry: true, text: "Something went wrong here. Nothing was stored." },
  stopping: { status: 503, retry: true, text: "The gateway is stopping. Try again shortly." },
  "store-unavailable": {
    status: 503,
    retry: true,
    text: "The store cannot take the request now. Nothing was stored; try again shortly.",
  },
  "too-many-bodies": {
    status: 503,
    retry: true,
    text: "Too many requests are being read now. Try again shortly.",
  },
  "proof-unavailable": {
    status: 503,
    retry: true,
    text: "What the request's proof needs could not be fetched. Try again shortly.",
  },
  "too-many-streams": {
    status: 503,
    retry: true,
    text: "Too many results are being streamed now. Ask for the result itself, or try again shortly.",
  },
  "queue-full": { status: 503, retry: true, text: "Too many runs or events are waiting. Try again later." },
  "misdirected-request": {
    status: 421,
    retry: false,
    text: "The admin API is not served under this host name: use a loopback name, gateway.host or one of gateway.publicHosts.",
  },
  "too-many-requests": {
    status: 429,
    retry: true,
    text: "More requests came with this token than the admin API takes in a minute.",
  },
  "invalid-parameter": {
    status: 400,
    retry: false,
    text: "The path or the query has a parameter that is unknown or cannot be used.",
  },
  "invalid-cursor": {
    status: 400,
    retry: false,
    text: "The cursor is not one of this list with these filters. Start again without it.",
  },
  "unknown-item": { status: 404, retry: false, text: "There is nothing with this id or name." },
  conflict: { status: 409, retry: false, text: "This is not possible in the state that it is in." },
  "outcome-unknown": {
    status: 409,
    retry: false,
    text: "A request with this Idempotency-Key was begun, and how it ended is not known. Look before you send it with a new key.",
  },
  "precondition-required": {
    status: 428,
    retry: false,
    text: "Send If-Match with the ETag of what you read, so that nobody else's change is lost.",
  },
  "precondition-failed": {
    status: 412,
    retry: false,
    text: "It has changed since you read it. Read it again and repeat your change.",
  },
  "config-differs": {
    status: 409,
    retry: false,
    text: "The config file of this node is not the one that it runs with: it was just changed, or has problems.",
  },
  "invalid-config": {
    status: 422,
    retry: false,
    text: "The configuration has problems. Nothing was written.",
  },
  "too-slow": {
    status: 503,
    retry: true,
    text: "The store took too long for this. Ask for less, or try again later.",
  },
} as const satisfies Record<string, { status: number; retry: boolean; text: string }>;

export type ErrorCode = keyof typeof catalogue;

export type PayloadFault = { path: string; message: string };

/** Why a request was refused. */
export type Refusal = {
  readonly refused: ErrorCode;
  readonly details?: readonly PayloadFault[];
  readonly retryAfterSeconds?: number;
  /** With `method-not-allowed`: the allowed methods, if not POST. */
  readonly allow?: string;
  /** Only in the admin API: what is wrong in this case, as a sentence. */
  readonly detail?: string;
  /** Only in the admin API: further header fields, as name, value, name, value. */
  readonly headers?: readonly string[];
};

export const refuse = (refused: ErrorCode, more?: Omit<Refusal, "refused">): Refusal => ({
  refused,
  ...more,
});

/** The next gateway is there in a few seconds. */
export const stopping: Refusal = refuse("stopping", { retryAfterSeconds: 5 });

/** Why a request cannot be used, for the operator. It holds no word of the payload. */
export function reasonOf({ refused, details = [] }: Refusal): string {
  const found = details.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return `${refused}: ${found === "" ? catalogue[refused].text : found}`;
}

export const isRefusal = (value: object): value is Refusal => "refused" in value;

/** The store cannot be written now (full disk, lost database). Nothing was stored; the caller may retry. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/** A mistake of the person at the command line. The message says what to do, and is shown without a stack. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A fault's kind, for the log: never its message, which may hold payload text or secrets. */
export const faultKind = (fault: unknown): string => {
  if (!(fault instanceof Error)) return typeof fault;
  const code = "code" in fault && typeof fault.code === "string" ? fault.code : null;
  return code ?? fault.name;
};

/** The code that the system gave a fault, such as ENOENT. */
export const codeOf = (fault: unknown): string =>
  fault instanceof Error && "code" in fault && typeof fault.code === "string" ? fault.code : "unknown fault";

// The bot's access token: requested with its id and secret, kept until shortly before it expires. Messages
// that wait for it share one request.
import { onAbort } from "../core/abort.ts";
import type { SendOutcome } from "../sdk/channel.ts";
import { limited, quoted, rejected } from "./outcome.ts";
import { type PlatformResponse, type Responded, postForm, retryAfterMs } from "./request.ts";

export type Token = { kind: "token"; value: string } | { kind: "none"; outcome: SendOutcome };

export type TokenSource = {
  get(signal: AbortSignal): Promise<Token>;
  /** This token was refused: the next `get` requests another, unless one was requested since. */
  drop(value: string): void;
};

export type TokenSettings = { url: string; appId: string; appPassword: string };
export type TokenTools = {
  fetch: typeof fetch;
  /** A monotonic time in milliseconds. */
  now: () => number;
};

const scope = "https://api.botframework.com/.default";
const marginMs = 5 * 60_000;

type Kept = { value: string; until: number };
type TokenRequest = { token: Promise<Token>; waiting: number; stop: AbortController };

export function createTokenSource(settings: TokenSettings, { fetch, now }: TokenTools): TokenSource {
  const { url, appId, appPassword } = settings;
  let kept: Kept | null = null;
  let request: TokenRequest | null = null;

  const ask = async (signal: AbortSignal): Promise<Token> => {
    const body = {
      grant_type: "client_credentials",
      client_id: appId,
      client_secret: appPassword,
      scope,
    };
    const { token, lifetimeMs } = read(await postForm(url, { body, signal, fetch }), appPassword);
    if (token.kind === "token")
      kept = { value: token.value, until: now() + lifetimeMs - Math.min(marginMs, lifetimeMs / 10) };
    return token;
  };
  const startRequest = (): TokenRequest => {
    const stop = new AbortController();
    return { token: ask(stop.signal), waiting: 0, stop };
  };

  return {
    async get(signal) {
      if (kept !== null && now() < kept.until) return { kind: "token", value: kept.value };
      request ??= startRequest();
      const mine = request;
      mine.waiting++;
      const token = await unlessStopped(mine.token, signal);
      if (--mine.waiting === 0) mine.stop.abort();
      if (request === mine && (token !== null || mine.waiting === 0)) request = null;
      return token ?? none("stopped before it was sent");
    },
    drop(value) {
      if (kept?.value === value) kept = null;
    },
  };
}

async function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const stopped = Promise.withResolvers<null>();
  const release = onAbort(signal, () => stopped.resolve(null));
  const first = await Promise.race([promise, stopped.promise]);
  release();
  return first;
}

const none = (reason: string, afterMs: number | null = null): Token => ({
  kind: "none",
  outcome: { kind: "retry", reason, afterMs },
});

type ResponseBody = {
  access_token?: unknown;
  expires_in?: unknown;
  error?: unknown;
  error_description?: unknown;
};

/** Without a token nothing was sent: anything but a refusal can be tried again. */
function read(response: PlatformResponse, secret: string): { token: Token; lifetimeMs: number } {
  if (response.kind !== "responded")
    return { token: none(`no token for the bot: ${response.reason}`), lifetimeMs: 0 };
  const { access_token: value, expires_in: seconds } = (response.json ?? {}) as ResponseBody;
  if (response.status < 300 && typeof value === "string" && value !== "")
    return { token: { kind: "token", value }, lifetimeMs: (Number(seconds) || 0) * 1000 };
  return { token: withoutToken(response, secret), lifetimeMs: 0 };
}

const passing: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error"]);

function withoutToken({ status, headers, json }: Responded, secret: string): Token {
  const { error, error_description: description } = (json ?? {}) as ResponseBody;
  if (status === 429) return { kind: "none", outcome: limited(retryAfterMs(headers)) };
  if (status < 300 || status >= 500 || passing.has(error))
    return none(`no token for the bot: its sign-in service responded with ${status}`, retryAfterMs(headers));
  const text = typeof description === "string" ? description : error;
  const words = typeof text === "string" ? quoted(text, secret) : `status ${status}`;
  const hint = "check appId, appPassword and tenant";
  return { kind: "none", outcome: rejected(`Microsoft gave the bot no token, ${hint}: ${words}`) };
}

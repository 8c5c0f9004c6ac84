// Access tokens, for the login of a person or for a service account in a person's name. The credentials are files of
// the form that Google's own tools write.
import { createPrivateKey, type KeyObject } from "node:crypto";
import { readRegularFile } from "../../config/read/regular-file.ts";
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import { MailFault } from "../mailbox.ts";
import { type GoogleResponse, type Fields, request, textIn } from "./request.ts";

export const gmailScope = "https://www.googleapis.com/auth/gmail.readonly";
export const pubsubScope = "https://www.googleapis.com/auth/pubsub";

export type Auth = {
  /** A token that is good for another minute at least. Throws a MailFault. */
  token(signal: AbortSignal): Promise<string>;
  /** Google refused this token: the next call gets another. */
  drop(token: string): void;
};

export type AuthOptions = {
  credentialsFile: string;
  /** The person a service account acts for; null: itself. */
  subject: string | null;
  scope: string;
  /** URL of the token server, without `/token`. */
  endpoint: string;
  clock: Clock;
};

const freshMs = 60_000;
const longestMs = 3_600_000;
const assertionSeconds = 3600;
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

type Cached = { token: string; until: number };

export function createAuth(options: AuthOptions): Auth {
  const { endpoint, clock } = options;
  let cached: Cached | null = null;
  let requested: Promise<Cached> | null = null;

  async function requestToken(signal: AbortSignal): Promise<Cached> {
    const askedAt = clock.monotonic();
    const credentials = await readCredentials(options.credentialsFile);
    const body = new URLSearchParams(await grantOf(credentials, options, clock.now()));
    const response = await request(`${endpoint}/token`, { method: "POST", body }, { signal, clock });
    const token = textIn(response.body, "access_token");
    if (response.status !== 200 || token === "") throw refusal(response);
    cached = { token, until: askedAt + usableMs(response.body["expires_in"]) };
    return cached;
  }

  return {
    async token(signal) {
      if (cached && cached.until > clock.monotonic()) return cached.token;
      requested ??= requestToken(signal).finally(() => (requested = null));
      return (await requested).token;
    },
    drop(token) {
      if (cached?.token === token) cached = null;
    },
  };
}

/** At least a minute, whatever the server says: a token that it no longer takes is dropped. At most an hour. */
function usableMs(expiresIn: unknown): number {
  const seconds = Number(expiresIn);
  return seconds > 0 ? Math.min(Math.max(seconds * 1000 - freshMs, freshMs), longestMs) : freshMs;
}

async function readCredentials(file: string): Promise<Fields> {
  try {
    return JSON.parse((await readRegularFile(file)).toString("utf8")) as Fields;
  } catch (fault) {
    const why = fault instanceof SyntaxError ? "it is not JSON" : faultKind(fault);
    throw new MailFault("reauth", `the credentials file cannot be read (${why})`);
  }
}

type About = Pick<AuthOptions, "subject" | "scope" | "endpoint">;

/** The form fields that ask the token server for a token. */
export async function grantOf(
  credentials: Fields,
  about: About,
  now: number,
): Promise<Record<string, string>> {
  const type = textIn(credentials, "type");
  if (type === "service_account") {
    return { grant_type: jwtBearer, assertion: await assertionOf(credentials, about, now) };
  }
  const [refresh_token, client_id] = [textIn(credentials, "refresh_token"), textIn(credentials, "client_id")];
  if (type !== "authorized_user" || refresh_token === "" || client_id === "")
    throw new MailFault("reauth", "the credentials file has no login in it");
  return {
    grant_type: "refresh_token",
    refresh_token,
    client_id,
    client_secret: textIn(credentials, "client_secret"),
  };
}

/** RFC 7523: what a service account signs to ask for a token. */
async function assertionOf(
  credentials: Fields,
  { subject, scope, endpoint }: About,
  now: number,
): Promise<string> {
  const { SignJWT } = await import("jose/jwt/sign");
  const issuedAt = Math.floor(now / 1000);
  const kid = textIn(credentials, "private_key_id");
  const claims = {
    iss: textIn(credentials, "client_email"),
    ...(subject !== null && { sub: subject }),
    scope,
    aud: `${endpoint}/token`,
    iat: issuedAt,
    exp: issuedAt + assertionSeconds,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(kid !== "" && { kid }) })
    .sign(privateKey(credentials));
}

/** RS256 needs RSA with 2048 bits or more (RFC 7518); Google gives out no other keys. */
function privateKey(credentials: Fields): KeyObject {
  try {
    const key = createPrivateKey(textIn(credentials, "private_key"));
    if (key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key;
  } catch {
    // The parser's own message may hold parts of the key.
  }
  throw new MailFault("reauth", "the credentials file has a private key in it that cannot be used");
}

/** Refusals that need a new login. */
const lasting: readonly string[] = [
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "access_denied",
  "deleted_client",
  "disabled_client",
  "admin_policy_enforced",
  "org_internal",
];

function refusal({ status, reasons, retryAfterMs }: GoogleResponse): MailFault {
  const known = reasons.find((reason) => lasting.includes(reason));
  if (known !== undefined) return new MailFault("reauth", `Google no longer takes the login (${known})`);
  return new MailFault("retry", `Google gave no access token (${status})`, retryAfterMs);
}

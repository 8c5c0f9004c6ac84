// Tokens and keys: logins of people, service accounts with delegation, and the tokens that Pub/Sub signs.
import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign, verify } from "node:crypto";
import { type Asked, type Json, ok, type Part, type Reply } from "./http.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const keyId = "fake-key-1";

export const gmailScope = "https://www.googleapis.com/auth/gmail.readonly";
export const pubsubScope = "https://www.googleapis.com/auth/pubsub";

/** Whose it is, and what it is good for. */
type Grant = { account: string; scope: string };

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({
  account,
  now,
  baseUrl,
}: {
  account: string;
  now: () => number;
  baseUrl: () => string;
}) {
  const signing = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const service = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const tokens = new Map<string, Grant & { until: number }>();
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>();
  const refreshToken = `1//fake-${randomUUID()}`;
  const logins = new Map<string, Grant>([[refreshToken, { account, scope: `${gmailScope} ${pubsubScope}` }]]);
  const client = { id: "fake-client.apps.googleusercontent.com", secret: `GOCSPX-${randomUUID()}` };
  /** All that was given out and must not be shown to anybody. */
  const secrets = new Set([refreshToken, client.secret]);
  const serviceAccount = {
    type: "service_account",
    project_id: "fake-project",
    private_key_id: "service-key",
    private_key: service.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    client_email: "robot@fake-project.iam.gserviceaccount.com",
  };
  const state = {
    revoked: false,
    /** Whether the service account may read mail in a person's name; it may never do more. */
    delegated: true,
    issued: 0,
    lifeSeconds: 3600,
    /** As Google says it of apps in Testing. */
    loginSeconds: null as number | null,
  };

  const secret = (value: string): string => {
    secrets.add(value);
    return value;
  };
  const issue = ({ account: owner, scope }: Grant, more: Json = {}): Reply => {
    const access_token = secret(`ya29.${randomUUID()}`);
    state.issued++;
    tokens.set(access_token, { account: owner, scope, until: now() + state.lifeSeconds * 1000 });
    return ok({ access_token, expires_in: state.lifeSeconds, token_type: "Bearer", ...more });
  };
  const issueForLogin = (login: Grant, more: Json = {}): Reply => {
    const ends = state.loginSeconds === null ? {} : { refresh_token_expires_in: state.loginSeconds };
    return issue(login, { scope: login.scope, ...ends, ...more });
  };
  const refuse = (error: string, error_description: string): Reply => ({
    status: 400,
    body: { error, error_description },
  });
  const invalidGrant = () => refuse("invalid_grant", "Token has been expired or revoked.");

  function forLogin(form: URLSearchParams): Reply {
    const login = logins.get(form.get("refresh_token") ?? "");
    return state.revoked || !login ? invalidGrant() : issueForLogin(login);
  }

  function forCode(form: URLSearchParams): Reply {
    const known = codes.get(form.get("code") ?? "");
    const challenge = hash("sha256", form.get("code_verifier") ?? "", "base64url");
    if (!known || known.challenge !== challenge || known.redirectUri !== form.get("redirect_uri"))
      return invalidGrant();
    codes.delete(form.get("code") ?? "");
    state.revoked = false;
    const refresh_token = secret(`1//fake-${randomUUID()}`);
    logins.set(refresh_token, known);
    return issueForLogin(known, { refresh_token });
  }

  function forAssertion(form: URLSearchParams): Reply {
    const claims = verified(secret(form.get("assertion") ?? ""), service.publicKey);
    const seconds = now() / 1000;
    const isGood =
      claims !== null &&
      claims["iss"] === serviceAccount.client_email &&
      [`${baseUrl()}/token`, "https://oauth2.googleapis.com/token"].includes(String(claims["aud"])) &&
      Number(claims["exp"]) > seconds &&
      Number(claims["exp"]) - Number(claims["iat"]) <= 3600;
    if (!isGood) return refuse("invalid_grant", "Invalid JWT Signature.");
    const scope = String(claims["scope"]);
    if (claims["sub"] !== undefined && (!state.delegated || scope !== gmailScope))
      return refuse(
        "unauthorized_client",
        "Client is unauthorized to retrieve access tokens using this method.",
      );
    const owner = typeof claims["sub"] === "string" ? claims["sub"] : serviceAccount.client_email;
    return issue({ account: owner, scope });
  }

  const part: Part = ({ method, path, form }) => {
    if (method === "GET" && path === "/oauth2/v3/certs") return ok({ keys: [publicJwk()] });
    if (method === "GET" && path === "/oauth2/v1/certs")
      return ok({ [keyId]: signing.publicKey.export({ type: "spki", format: "pem" }).toString() });
    if (method !== "POST" || path !== "/token") return null;
    const grant = form.get("grant_type");
    const isClient = form.get("client_id") === client.id && form.get("client_secret") === client.secret;
    if (grant !== jwtBearer && !isClient) return refuse("invalid_client", "The OAuth client was not found.");
    if (grant === "refresh_token") return forLogin(form);
    if (grant === "authorization_code") return forCode(form);
    return grant === jwtBearer ? forAssertion(form) : refuse("unsupported_grant_type", "unknown");
  };

  const publicJwk = (): Json => ({
    ...signing.publicKey.export({ format: "jwk" }),
    kid: keyId,
    alg: "RS256",
    use: "sig",
  });

  return {
    part,
    state,
    client,
    secrets,
    logins,
    serviceAccount,
    /** As the set-up writes it. */
    login: {
      type: "authorized_user",
      client_id: client.id,
      client_secret: client.secret,
      refresh_token: refreshToken,
    },
    /** Who asks with this token; null when it is none, or no longer. */
    owner({ token }: Pick<Asked, "token">): string | null {
      const known = tokens.get(token);
      return known && known.until > now() ? known.account : null;
    },
    /** Whether this token is good for this. */
    covers: ({ token }: Pick<Asked, "token">, scope: string): boolean =>
      tokens.get(token)?.scope.split(" ").includes(scope) ?? false,
    /** Every access token given out ends now. */
    endTokens: () => tokens.clear(),
    /** As if a person had consented in a browser. */
    consent(challenge: string, redirectUri: string, by: Partial<Grant> = {}): string {
      const code = secret(`4/${randomUUID()}`);
      codes.set(code, { challenge, redirectUri, account, scope: gmailScope, ...by });
      return code;
    },
    /** A token as Pub/Sub signs it; `claims`, `header` and `key` replace what is in it. */
    pushToken(
      claims: Json,
      { header = {}, key = signing.privateKey }: { header?: Json; key?: KeyObject } = {},
    ) {
      const seconds = Math.floor(now() / 1000);
      const all = {
        iss: "https://accounts.google.com",
        email_verified: true,
        sub: "1234567890",
        iat: seconds,
        exp: seconds + 3600,
        ...claims,
      };
      return signed({ alg: "RS256", kid: keyId, typ: "JWT", ...header }, all, key);
    },
  };
}

export function signed(header: Json, claims: Json, key: KeyObject): string {
  const text = [header, claims]
    .map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

function verified(token: string, key: KeyObject): Json | null {
  const [head = "", body = "", signature = ""] = token.split(".");
  const isGood = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isGood ? (JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Json) : null;
}

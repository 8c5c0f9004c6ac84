// Google's token server: logins of people, and service accounts that may act for them.
import { hash, randomUUID } from "node:crypto";
import { createAccessTokens, createState, type Grant, type State } from "./access-tokens.ts";
import type { Part, Reply } from "./http.ts";
import { createSigning, verified } from "./signing.ts";
import { rsaKey } from "../../support/rsa.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export const gmailScope = "https://www.googleapis.com/auth/gmail.readonly";
export const pubsubScope = "https://www.googleapis.com/auth/pubsub";

type AccountsOptions = { account: string; now: () => number; baseUrl: () => string };
type AccessTokens = ReturnType<typeof createAccessTokens>;

export function createAccounts({ account, now, baseUrl }: AccountsOptions) {
  const signing = createSigning({ now });
  const state = createState();
  const tokens = createAccessTokens({ now, state });
  const logins = createLogins(account, tokens, state);
  const robots = createServiceAccount({ now, baseUrl }, tokens, state);

  const part: Part = (request) => {
    const { method, path, form } = request;
    if (method !== "POST" || path !== "/token") return signing.part(request);
    const grant = form.get("grant_type");
    if (grant === jwtBearer) return robots.forAssertion(form);
    if (!logins.isClient(form)) return refuse("invalid_client", "The OAuth client was not found.");
    if (grant === "refresh_token") return logins.forLogin(form);
    if (grant === "authorization_code") return logins.forCode(form);
    return refuse("unsupported_grant_type", "unknown");
  };

  return {
    part,
    state,
    client: logins.client,
    secrets: tokens.secrets,
    logins: logins.logins,
    login: logins.login,
    consent: logins.consent,
    serviceAccount: robots.serviceAccount,
    owner: tokens.owner,
    covers: tokens.covers,
    endTokens: tokens.endTokens,
    pushToken: signing.pushToken,
    addKey: signing.addKey,
    publicKeyPem: signing.publicKeyPem,
  };
}

function createLogins(account: string, { secret, issueForLogin }: AccessTokens, state: State) {
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>();
  const refreshToken = secret(`1//fake-${randomUUID()}`);
  const logins = new Map<string, Grant>([[refreshToken, { account, scope: `${gmailScope} ${pubsubScope}` }]]);
  const client = {
    id: "fake-client.apps.googleusercontent.com",
    secret: secret(`GOCSPX-${randomUUID()}`),
  };

  return {
    client,
    logins,
    /** As the setup writes it. */
    login: {
      type: "authorized_user",
      client_id: client.id,
      client_secret: client.secret,
      refresh_token: refreshToken,
    },
    isClient: (form: URLSearchParams): boolean =>
      form.get("client_id") === client.id && form.get("client_secret") === client.secret,
    /** As if a person had consented in a browser. */
    consent(challenge: string, redirectUri: string, by: Partial<Grant> = {}): string {
      const code = secret(`4/${randomUUID()}`);
      codes.set(code, { challenge, redirectUri, account, scope: gmailScope, ...by });
      return code;
    },
    forLogin(form: URLSearchParams): Reply {
      const login = logins.get(form.get("refresh_token") ?? "");
      return state.revoked || !login ? invalidGrant() : issueForLogin(login);
    },
    forCode(form: URLSearchParams): Reply {
      const known = codes.get(form.get("code") ?? "");
      const challenge = hash("sha256", form.get("code_verifier") ?? "", "base64url");
      if (!known || known.challenge !== challenge || known.redirectUri !== form.get("redirect_uri"))
        return invalidGrant();
      codes.delete(form.get("code") ?? "");
      state.revoked = false;
      const refresh_token = secret(`1//fake-${randomUUID()}`);
      logins.set(refresh_token, known);
      return issueForLogin(known, { refresh_token });
    },
  };
}

function createServiceAccount(
  { now, baseUrl }: Pick<AccountsOptions, "now" | "baseUrl">,
  tokens: AccessTokens,
  state: State,
) {
  const { privateKey, publicKey } = rsaKey("service account");
  const serviceAccount = {
    type: "service_account",
    project_id: "fake-project",
    private_key_id: "service-key",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    client_email: "robot@fake-project.iam.gserviceaccount.com",
  };

  return {
    serviceAccount,
    forAssertion(form: URLSearchParams): Reply {
      const claims = verified(tokens.secret(form.get("assertion") ?? ""), publicKey);
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
      return tokens.issue({ account: owner, scope });
    },
  };
}

const refuse = (error: string, error_description: string): Reply => ({
  status: 400,
  body: { error, error_description },
});

const invalidGrant = (): Reply => refuse("invalid_grant", "Token has been expired or revoked.");

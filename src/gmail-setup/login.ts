// Logs in to the account: with the kept login while it works and has the scopes, otherwise with a new one.
import type { Clock } from "../core/clock.ts";
import { UsageError } from "../core/errors.ts";
import { gmailScope, pubsubScope } from "../mail/gmail/auth.ts";
import { GoogleRefusal } from "./ask.ts";
import type { Endpoints } from "./calls.ts";
import type { DesktopClient } from "./client-file.ts";
import { type Consent, createConsent, readRedirect } from "./consent.ts";
import type { Credentials, LoginCredentials, ServiceAccountKey } from "./credentials.ts";
import { listenForRedirect } from "./loopback.ts";
import { type Token, tokenFor, tokenForCode } from "./token.ts";
import { explained } from "./refusals.ts";

export type LoginSource =
  | { kind: "desktop"; client: DesktopClient }
  | { kind: "service-account"; key: ServiceAccountKey };

/** Shows the address to a person. Resolves with where Google sent the browser: `visited`, or what the person pasted. */
export type Visit = (url: string, visited: Promise<string>) => Promise<string>;

export type LoginOptions = {
  account: string;
  scopes: readonly string[];
  source: LoginSource | null;
  kept: Credentials | null;
  /** Log in again even though the kept login works. */
  newLogin: boolean;
  endpoints: Endpoints;
  visit: Visit;
  clock: Clock;
};

/** `cloudToken` is for Pub/Sub. A service account gets it in its own name, so that scope need not be delegated. */
export type Login = { credentials: Credentials; token: Token; cloudToken: Token; isNew: boolean };

export async function logIn(options: LoginOptions): Promise<Login> {
  const { source, kept } = options;
  if (source?.kind === "service-account") return byServiceAccount(source.key, options);
  if (source === null && kept?.type === "service_account") return byServiceAccount(kept, options);
  const login = kept?.type === "authorized_user" ? kept : null;
  const client = source?.client ?? (login && clientOf(login));
  if (client === null)
    throw new UsageError(
      "There is no login yet. Give an OAuth client of the type Desktop app: --client FILE, or a service account's key: --service-account FILE",
    );
  const isSameClient = login?.client_id === client.clientId && login.client_secret === client.clientSecret;
  const token = login && isSameClient && !options.newLogin ? await tokenIfValid(login, options) : null;
  return login && token
    ? { credentials: login, token, cloudToken: token, isNew: false }
    : byConsent(client, options);
}

const clientOf = ({ client_id, client_secret, project_id }: LoginCredentials): DesktopClient => ({
  clientId: client_id,
  clientSecret: client_secret,
  projectId: project_id ?? null,
});

const serverOf = ({ endpoints, clock }: LoginOptions) => ({ oauth: endpoints.oauth, clock });

const doing = { what: "Logging in", project: null };

async function byServiceAccount(key: ServiceAccountKey, options: LoginOptions): Promise<Login> {
  const { kept, account, scopes } = options;
  const tokenOf = (what: string, subject: string | null, scope: string): Promise<Token> =>
    explained({ what, project: null }, () => tokenFor(serverOf(options), key, { subject, scopes: [scope] }));
  const token = await tokenOf(`Logging in as ${account} by the service account`, account, gmailScope);
  const cloudToken = scopes.includes(pubsubScope)
    ? await tokenOf("Logging in as the service account itself", null, pubsubScope)
    : token;
  const isNew = kept?.type !== "service_account" || kept.private_key !== key.private_key;
  return { credentials: key, token, cloudToken, isNew };
}

/** Null when a person has to consent again. */
async function tokenIfValid(login: LoginCredentials, options: LoginOptions): Promise<Token | null> {
  try {
    const token = await tokenFor(serverOf(options), login, { subject: null, scopes: options.scopes });
    return missing(token, options.scopes).length === 0 ? token : null;
  } catch (fault) {
    if (fault instanceof GoogleRefusal && fault.has("invalid_grant")) return null;
    return explained(doing, () => Promise.reject(fault));
  }
}

const missing = ({ scopes: granted }: Token, goal: readonly string[]): string[] =>
  granted === null ? [] : goal.filter((scope) => !granted.includes(scope));

async function byConsent(client: DesktopClient, options: LoginOptions): Promise<Login> {
  const { consent, redirected } = await askPerson(client, options);
  const code = readRedirect(redirected, consent);
  const token = await explained(doing, () => tokenForCode(serverOf(options), client, { ...consent, code }));
  const left = missing(token, options.scopes);
  if (left.length > 0)
    throw new UsageError(
      `Google did not grant all that is needed: ${left.join(", ")} is missing. Run it again, and tick every box on Google's page.`,
    );
  if (token.refreshToken === null)
    throw new UsageError(
      "Google gave no lasting login. Take the app out of https://myaccount.google.com/connections, and run this again.",
    );
  const credentials: LoginCredentials = {
    type: "authorized_user",
    client_id: client.clientId,
    client_secret: client.clientSecret,
    refresh_token: token.refreshToken,
    ...(client.projectId !== null && { project_id: client.projectId }),
  };
  return { credentials, token, cloudToken: token, isNew: true };
}

async function askPerson(
  { clientId }: DesktopClient,
  { endpoints, account, scopes, visit }: LoginOptions,
): Promise<{ consent: Consent; redirected: string }> {
  let consent: Consent | null = null;
  const loopback = await listenForRedirect(
    (url) => new URL(url).searchParams.get("state") === consent?.state,
  );
  try {
    consent = createConsent({
      authorize: endpoints.authorize,
      clientId,
      redirectUri: loopback.redirectUri,
      account,
      scopes,
    });
    return { consent, redirected: await visit(consent.url, loopback.visited) };
  } finally {
    await loopback.close();
  }
}

// Requests access tokens, with the scopes and the end of the login that Google reports for each.
import type { Clock } from "../core/clock.ts";
import { grantOf } from "../mail/gmail/auth.ts";
import { textIn } from "../mail/gmail/request.ts";
import { askGoogle, GoogleRefusal } from "./ask.ts";
import type { DesktopClient } from "./client-file.ts";
import type { Credentials } from "./credentials.ts";

export type Token = {
  accessToken: string;
  /** What was granted; null when the response does not say. */
  scopes: readonly string[] | null;
  /** Set in exchange for a code. */
  refreshToken: string | null;
  /** Time until the login itself ends, where Google says so: seven days for an app in Testing. */
  refreshTokenSeconds: number | null;
};

type Server = { oauth: string; clock: Clock };

export const tokenForCode = (
  server: Server,
  { clientId, clientSecret }: DesktopClient,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<Token> =>
  askForToken(server, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
  });

/** `subject`: the person a service account acts for; null: itself. A person's login ignores it. */
export const tokenFor = async (
  server: Server,
  credentials: Credentials,
  { subject, scopes }: { subject: string | null; scopes: readonly string[] },
): Promise<Token> => {
  const about = { subject, scope: scopes.join(" "), endpoint: server.oauth };
  return askForToken(server, await grantOf(credentials, about, server.clock.now()));
};

async function askForToken({ oauth, clock }: Server, fields: Record<string, string>): Promise<Token> {
  const url = `${oauth}/token`;
  const response = await askGoogle(url, clock, { method: "POST", body: new URLSearchParams(fields) });
  const accessToken = textIn(response, "access_token");
  if (accessToken === "")
    throw new GoogleRefusal(url, "the response has no token in it", { status: 502, reasons: [], link: null });
  const seconds = response["refresh_token_expires_in"];
  return {
    accessToken,
    scopes: textIn(response, "scope") === "" ? null : textIn(response, "scope").split(" "),
    refreshToken: textIn(response, "refresh_token") || null,
    refreshTokenSeconds: typeof seconds === "number" && seconds > 0 ? seconds : null,
  };
}

// The access tokens that the fake has given out, and every secret among them.
import { randomUUID } from "node:crypto";
import { type GoogleRequest, type Json, ok, type Reply } from "./http.ts";

/** The owner of a token, its scopes and its end. */
export type Grant = { account: string; scope: string };

/** State that tests read and set. */
export type State = ReturnType<typeof createState>;

export const createState = () => ({
  /** Every login of a person is refused. */
  revoked: false,
  /** Whether the service account may read mail in a person's name; it may never do more. */
  delegated: true,
  issued: 0,
  lifeSeconds: 3600,
  /** How long a login lasts; Google says so of apps in Testing. */
  loginSeconds: null as number | null,
});

export function createAccessTokens({ now, state }: { now: () => number; state: State }) {
  const tokens = new Map<string, Grant & { until: number }>();
  const secrets = new Set<string>();

  const secret = (value: string): string => {
    secrets.add(value);
    return value;
  };
  const issue = ({ account, scope }: Grant, more: Json = {}): Reply => {
    const access_token = secret(`ya29.${randomUUID()}`);
    state.issued++;
    tokens.set(access_token, { account, scope, until: now() + state.lifeSeconds * 1000 });
    return ok({ access_token, expires_in: state.lifeSeconds, token_type: "Bearer", ...more });
  };

  return {
    secrets,
    secret,
    issue,
    issueForLogin(login: Grant, more: Json = {}): Reply {
      const ends = state.loginSeconds === null ? {} : { refresh_token_expires_in: state.loginSeconds };
      return issue(login, { scope: login.scope, ...ends, ...more });
    },
    /** The token's owner; null without a valid token. */
    owner({ token }: Pick<GoogleRequest, "token">): string | null {
      const known = tokens.get(token);
      return known && known.until > now() ? known.account : null;
    },
    covers: ({ token }: Pick<GoogleRequest, "token">, scope: string): boolean =>
      tokens.get(token)?.scope.split(" ").includes(scope) ?? false,
    /** Every access token given out ends now. */
    endTokens: () => tokens.clear(),
  };
}

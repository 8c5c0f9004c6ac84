// A person's consent in a browser: the address to open, and the code that comes back.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { UsageError } from "../core/errors.ts";

export type Consent = { url: string; state: string; verifier: string; redirectUri: string };

export function createConsent({
  authorize,
  clientId,
  redirectUri,
  account,
  scopes,
}: {
  authorize: string;
  clientId: string;
  redirectUri: string;
  account: string;
  scopes: readonly string[];
}): Consent {
  const state = randomBytes(24).toString("base64url");
  const verifier = randomBytes(48).toString("base64url");
  const url = new URL(authorize);
  const query = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: scopes.join(" "),
    state,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
    access_type: "offline",
    prompt: "consent",
    login_hint: account,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier, redirectUri };
}

/** The code in the address that Google sent the browser to. */
export function readRedirect(redirected: string, { state }: Pick<Consent, "state">): string {
  const written = redirected.trim();
  if (!URL.canParse(written))
    throw new UsageError(
      "That is not an address. Copy the whole one from the browser: it begins with http://127.0.0.1 and the page itself need not load.",
    );
  const query = new URL(written).searchParams;
  if (!isSame(query.get("state") ?? "", state))
    throw new UsageError(
      "The response does not belong to this login (its state is another). It may be from an earlier try: open the address shown last, and use what comes of that.",
    );
  const refused = query.get("error");
  if (refused !== null) throw new UsageError(refusalWords(refused));
  const code = query.get("code");
  if (!code) throw new UsageError("The address has no code in it. Copy the whole one from the browser.");
  return code;
}

const isSame = (left: string, right: string): boolean =>
  left.length === right.length &&
  timingSafeEqual(Buffer.from(hash("sha256", left)), Buffer.from(hash("sha256", right)));

function refusalWords(refused: string): string {
  if (refused === "access_denied")
    return "Google did not give access (access_denied). Either No was clicked, or the app is in Testing and the account is not among its test users (Google Auth Platform → Audience), or an administrator forbids it.";
  if (refused === "admin_policy_enforced")
    return "The organisation's policy forbids this app (admin_policy_enforced). Its administrator can allow it: Admin console → Security → API controls.";
  if (refused === "org_internal")
    return "The app is only for accounts of its own organisation (org_internal). Use one of these, or make the app External (Google Auth Platform → Audience).";
  return `Google refused the login (${/^[\w.-]{1,60}$/.test(refused) ? refused : "for a reason without a name"}).`;
}

// Explains a refusal of Google, with what a person can do about it.
import { UsageError } from "../core/errors.ts";
import { GoogleRefusal } from "./ask.ts";

export type Doing = { what: string; project: string | null };

/** Turns a GoogleRefusal into a UsageError with an explanation; other faults pass. */
export async function explained<T>(doing: Doing, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (fault) {
    throw fault instanceof GoogleRefusal ? new UsageError(explain(fault, doing)) : fault;
  }
}

export function explain(refusal: GoogleRefusal, { what, project }: Doing): string {
  const { status, message } = refusal;
  const said = message === "" ? "" : ` Google says: ${message}`;
  const failed = `${what} did not work`;
  if (status === 0) return `${failed}: ${message}. See this machine's network.`;
  if (refusal.has("SERVICE_DISABLED", "accessNotConfigured")) return `${failed}: ${apiOff(refusal, project)}`;
  if (isQuota(refusal))
    return `${failed}: Google's quota is used up for now. Wait a few minutes, and run it again.${said}`;
  if (isTokenRefusal(refusal)) return `${failed}: ${tokenWords(refusal)}${said}`;
  if (isOrganisationPolicy(refusal)) return `${failed}: ${organisationWords}${said}`;
  if (refusal.has("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"))
    return `${failed}: the login was not given all that was asked for. Log in again, and leave every box ticked: rouse gmail setup --new-login`;
  if (status === 401)
    return `${failed}: the login is no longer accepted. Log in again: rouse gmail setup --new-login${said}`;
  if (status === 403)
    return `${failed}: the account has no right to it${project === null ? "" : ` in the project ${project}`}. Someone with the right can run what "rouse gmail setup --print-gcloud" prints; then run the setup again with --provisioned.${said}`;
  if (status === 404)
    return `${failed}: it was not found${project === null ? "" : `; is ${project} the project's id?`}${said}`;
  if (status >= 500)
    return `${failed}: Google has trouble of its own (status ${status}). Run it again later.`;
  return `${failed} (status ${status}).${said}`;
}

const isQuota = (refusal: GoogleRefusal): boolean =>
  refusal.status === 429 ||
  refusal.has(
    "rateLimitExceeded",
    "userRateLimitExceeded",
    "quotaExceeded",
    "RESOURCE_EXHAUSTED",
    "RATE_LIMIT_EXCEEDED",
  );

function apiOff({ url, link }: GoogleRefusal, project: string | null): string {
  const isPubsub = url.includes("/v1/projects/");
  const [name, api] = isPubsub ? ["Pub/Sub", "pubsub.googleapis.com"] : ["Gmail", "gmail.googleapis.com"];
  const query = project === null ? "" : `?project=${project}`;
  const page = link ?? `https://console.cloud.google.com/apis/library/${api}${query}`;
  const flag = project === null ? "" : ` --project ${project}`;
  return `the ${name} API is not enabled in the client's project. Enable it at ${page} or with: gcloud services enable ${api}${flag} (it takes a minute or two), and run this again.`;
}

const tokenReasons: Readonly<Record<string, string>> = {
  invalid_grant:
    "the login has ended. It was revoked, the password was changed, it was not used for six months, or the app is in Testing, where a login ends after seven days. Log in again: rouse gmail setup --new-login",
  invalid_client:
    "Google does not know this OAuth client, or its secret was changed. Download its file again: --client FILE",
  deleted_client: "this OAuth client was deleted. Make a new one, and give its file: --client FILE",
  redirect_uri_mismatch:
    'Google did not accept the way back to this machine. The client must be of the type "Desktop app": make one, and give its file: --client FILE',
  unauthorized_client:
    "the service account may not act for this account. An administrator allows it: Admin console → Security → API controls → Domain-wide delegation → the account's client id with the scopes that --dry-run shows",
  access_denied:
    "access was denied. An administrator may forbid it, or the account may not be a test user of the app",
  admin_policy_enforced: "the organisation's policy forbids this app. Its administrator can allow it",
  invalid_scope: "the scopes are not allowed for this client",
};

const isTokenRefusal = (refusal: GoogleRefusal): boolean =>
  refusal.reasons.some((reason) => Object.hasOwn(tokenReasons, reason));

const tokenWords = ({ reasons }: GoogleRefusal): string => {
  const known = reasons.find((reason) => Object.hasOwn(tokenReasons, reason)) ?? "";
  return `${tokenReasons[known] ?? "it was refused"} (${known}).`;
};

const isOrganisationPolicy = ({ message, reasons }: GoogleRefusal): boolean =>
  /permitted customer|allowedPolicyMemberDomains|org(?:anization)? policy/i.test(message) ||
  reasons.some((reason) => /ORG_POLICY|allowedPolicyMemberDomains/i.test(reason));

const organisationWords =
  'the organisation\'s policy "Domain restricted sharing" does not let Gmail publish to the topic. An administrator makes an exception for gmail-api-push@system.gserviceaccount.com (IAM & Admin → Organization policies → iam.allowedPolicyMemberDomains). The mode poll needs none of this.';

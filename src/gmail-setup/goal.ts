// The goal of a setup, complete and checked.
import type { gmailModes } from "../config/schema/gmail.ts";
import { UsageError } from "../core/errors.ts";
import { gmailScope, pubsubScope } from "../mail/gmail/auth.ts";

export type MailMode = (typeof gmailModes)[number];

export type Cloud = {
  project: string;
  /** Whole names: `projects/P/topics/T`, `projects/P/subscriptions/S`. */
  topic: string;
  subscription: string;
  push: { endpoint: string; audience: string; serviceAccount: string } | null;
  /** Somebody else made them: they are used unchecked. */
  provisioned: boolean;
};

export type Goal = {
  account: string;
  mode: MailMode;
  label: string;
  /** Null for `poll`, which needs nothing in the cloud. */
  cloud: Cloud | null;
};

/** From flags, the existing config, or a person. */
export type SetupInput = {
  account: string;
  mode: MailMode;
  label?: string | undefined;
  project?: string | undefined;
  topic?: string | undefined;
  subscription?: string | undefined;
  pushEndpoint?: string | undefined;
  audience?: string | undefined;
  oidcServiceAccount?: string | undefined;
  provisioned?: boolean | undefined;
};

export const defaultLabel = "INBOX";
export const defaultResourceName = "rouse-gmail";

/** The fewest scopes that suffice: `pull` reads Pub/Sub, and a setup that provisions writes to it. */
export const scopesFor = ({ mode, cloud }: Goal): string[] =>
  cloud !== null && (mode === "pull" || !cloud.provisioned) ? [gmailScope, pubsubScope] : [gmailScope];

export function toGoal(given: SetupInput): Goal {
  const account = readAddress(given.account);
  const label = given.label?.trim() || defaultLabel;
  return { account, mode: given.mode, label, cloud: given.mode === "poll" ? null : toCloud(given) };
}

/** In lower case: Gmail ignores case. */
export function readAddress(written: string): string {
  const address = written.trim().toLowerCase();
  if (!isAddress(address))
    throw new UsageError(
      `"${written}" is not a mail address. The account is the whole address: me@example.com`,
    );
  return address;
}

export const isAddress = (text: string): boolean => /^[^\s@/\\:"']+@[^\s@/\\:"']+$/.test(text);

function toCloud(given: SetupInput): Cloud {
  const topic = given.topic?.trim() || defaultResourceName;
  const project = given.project?.trim() || /^projects\/([^/]+)\//.exec(topic)?.[1];
  if (project === undefined)
    throw new UsageError(
      `The mode ${given.mode} needs the Google Cloud project of the OAuth client: --project ID`,
    );
  if (!/^[a-z][a-z0-9.:-]{3,62}$/.test(project))
    throw new UsageError(`"${project}" is not the id of a Google Cloud project, such as my-mail-12345`);
  return {
    project,
    topic: wholeName("topics", topic, project),
    subscription: wholeName("subscriptions", given.subscription?.trim() || defaultResourceName, project),
    push: given.mode === "push" ? toPush(given) : null,
    provisioned: given.provisioned === true,
  };
}

/** Gmail accepts only topics in the project of the OAuth client. */
function wholeName(kind: "topics" | "subscriptions", written: string, project: string): string {
  const name = new RegExp(`^projects/([^/]+)/${kind}/([^/]+)$`).exec(written);
  if (name && name[1] !== project)
    throw new UsageError(
      `${written} is in the project ${name[1]}, and the OAuth client in ${project}: Gmail wants both in one.`,
    );
  const short = name?.[2] ?? written;
  if (!/^[A-Za-z][A-Za-z0-9\-_.~+%]{2,254}$/.test(short) || short.startsWith("goog"))
    throw new UsageError(
      `"${written}" cannot be a name in ${kind}: a letter, then at least two letters, digits or -_.~+`,
    );
  return `projects/${project}/${kind}/${short}`;
}

function toPush({ pushEndpoint, audience, oidcServiceAccount }: SetupInput): NonNullable<Cloud["push"]> {
  const endpoint = pushEndpoint?.trim() ?? "";
  if (!URL.canParse(endpoint) || new URL(endpoint).protocol !== "https:")
    throw new UsageError(
      "The mode push needs the https address at which Google reaches the gateway: --push-endpoint https://HOST/PATH",
    );
  if (new URL(endpoint).search !== "" || new URL(endpoint).hash !== "")
    throw new UsageError("The push endpoint is an address without a query: no token belongs in it.");
  const serviceAccount = oidcServiceAccount?.trim().toLowerCase() ?? "";
  if (!isAddress(serviceAccount))
    throw new UsageError(
      "The mode push needs the service account that signs Google's requests: --oidc-service-account NAME@PROJECT.iam.gserviceaccount.com",
    );
  return { endpoint, audience: audience?.trim() || endpoint, serviceAccount };
}

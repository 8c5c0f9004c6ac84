// The calls a setup would make, for --dry-run. Secrets are shown as "…".
import { gmailScope } from "../mail/gmail/auth.ts";
import type { Call } from "./ask.ts";
import {
  cloudCalls,
  type Endpoints,
  gmailCalls,
  grantMadeByUs,
  madeByUs,
  publisher,
  subscriptionSettings,
} from "./calls.ts";
import type { LoginSource } from "./login.ts";
import type { Credentials, ServiceAccountKey } from "./credentials.ts";
import { type Cloud, scopesFor, type Goal } from "./goal.ts";

/** `when`: null for a call that is always made. */
export type PlannedCall = Call & { what: string; when: string | null };

const secret = "…";

export type PlanOptions = {
  goal: Goal;
  source: LoginSource | null;
  kept: Credentials | null;
  endpoints: Endpoints;
};

export function planCalls({ goal, source, kept, endpoints }: PlanOptions): PlannedCall[] {
  const gmail = gmailCalls(endpoints);
  const { cloud } = goal;
  return [
    ...loginCalls({ goal, source, kept, endpoints }),
    always("whose login it is", gmail.profile()),
    always("whether the label is there", gmail.labels()),
    ...(cloud === null || cloud.provisioned ? [] : provisioningCalls(endpoints, cloud)),
    ...(cloud === null
      ? []
      : [
          {
            what: "asks Gmail for its hints, which end after seven days",
            when: "unless they are promised for two more days",
            ...gmail.watch(cloud.topic, goal.label),
          },
        ]),
  ];
}

const always = (what: string, call: Call): PlannedCall => ({ what, when: null, ...call });

function loginCalls({ goal, source, kept, endpoints }: PlanOptions): PlannedCall[] {
  if (source?.kind === "service-account") return serviceAccountCalls(source.key, goal, endpoints);
  if (source === null && kept?.type === "service_account") return serviceAccountCalls(kept, goal, endpoints);
  const login = kept?.type === "authorized_user" ? kept : null;
  const clientId = source?.client.clientId ?? login?.client_id ?? secret;
  return personCalls({ clientId, isKept: login?.client_id === clientId }, goal, endpoints);
}

const serviceAccountCalls = (key: ServiceAccountKey, goal: Goal, endpoints: Endpoints): PlannedCall[] =>
  scopesFor(goal).map((scope) => {
    const { client_email } = key;
    const name =
      scope === gmailScope ? `as ${goal.account}, signed by ${client_email}` : `as ${client_email} itself`;
    const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    return tokenCall(endpoints, `a token for ${scope}, ${name}`, { grant_type, assertion: secret });
  });

function personCalls(
  { clientId, isKept }: { clientId: string; isKept: boolean },
  goal: Goal,
  endpoints: Endpoints,
): PlannedCall[] {
  const scope = scopesFor(goal).join(" ");
  const client = { client_id: clientId, client_secret: secret };
  const refresh = { grant_type: "refresh_token", refresh_token: secret, ...client };
  const exchange = {
    grant_type: "authorization_code",
    code: secret,
    code_verifier: secret,
    redirect_uri: "http://127.0.0.1:PORT",
    ...client,
  };
  const when = isKept ? "if the login that is kept no longer works, or may do too little" : null;
  return [
    ...(isKept ? [tokenCall(endpoints, "a token for the login that is kept", refresh)] : []),
    {
      what: `opened in a browser: consent to ${scope}`,
      when,
      method: "GET",
      url: consentUrl(endpoints, clientId, scope, goal.account),
    },
    { ...tokenCall(endpoints, "the login, for the code that the consent gave", exchange), when },
  ];
}

const tokenCall = ({ oauth }: Endpoints, what: string, body: object): PlannedCall =>
  always(what, { method: "POST", url: `${oauth}/token`, body });

function consentUrl({ authorize }: Endpoints, clientId: string, scope: string, account: string): string {
  const query = {
    client_id: clientId,
    scope,
    login_hint: account,
    access_type: "offline",
    code_challenge_method: "S256",
  };
  return `${authorize}?${new URLSearchParams(query).toString()}`;
}

function provisioningCalls(endpoints: Endpoints, cloud: Cloud): PlannedCall[] {
  const calls = cloudCalls(endpoints, cloud);
  const binding = { role: publisher.role, members: [publisher.member] };
  return [
    always("whether the topic is there", calls.getTopic()),
    { what: "makes the topic", when: "if it is not", ...calls.makeTopic() },
    always("who may publish to it", calls.getPolicy()),
    {
      what: "lets Gmail publish to it: the policy as it was read, and in it",
      when: "if it may not",
      ...calls.setPolicy({ bindings: [binding], etag: "(as read)" }),
    },
    always("whether the subscription is there", calls.getSubscription()),
    {
      what: "makes the subscription",
      when: "if it is not",
      ...calls.makeSubscription({ ...madeByUs, ...grantMadeByUs }),
    },
    {
      what: "changes the subscription",
      when: "if it is there and differs in one of these; only that is sent",
      ...calls.changeSubscription(subscriptionSettings(cloud.push)),
    },
  ];
}

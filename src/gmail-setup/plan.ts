// Everything a set-up would do, without doing any of it. Secrets are shown as "…".
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
import type { Credentials } from "./credentials.ts";
import { type Cloud, scopesFor, type Wanted } from "./wanted.ts";

/** `when`: null for a call that is always made. */
export type PlannedCall = Call & { what: string; when: string | null };

const secret = "…";

export type PlanOptions = {
  wanted: Wanted;
  source: LoginSource | null;
  kept: Credentials | null;
  endpoints: Endpoints;
};

export function planCalls({ wanted, source, kept, endpoints }: PlanOptions): PlannedCall[] {
  const gmail = gmailCalls(endpoints);
  const { cloud } = wanted;
  return [
    ...loginCalls({ wanted, source, kept, endpoints }),
    always("whose login it is", gmail.profile()),
    always("whether the label is there", gmail.labels()),
    ...(cloud === null || cloud.provisioned ? [] : provisioningCalls(endpoints, cloud)),
    ...(cloud === null
      ? []
      : [
          {
            what: "asks Gmail for its hints, which end after seven days",
            when: "unless they are promised for two more days",
            ...gmail.watch(cloud.topic, wanted.label),
          },
        ]),
  ];
}

const always = (what: string, call: Call): PlannedCall => ({ what, when: null, ...call });

function loginCalls({ wanted, source, kept, endpoints }: PlanOptions): PlannedCall[] {
  const scope = scopesFor(wanted).join(" ");
  const tokenCall = (what: string, when: string | null, body: object): PlannedCall => ({
    what,
    when,
    method: "POST",
    url: `${endpoints.oauth}/token`,
    body,
  });
  const key =
    source?.kind === "service-account"
      ? source.key
      : kept?.type === "service_account" && !source
        ? kept
        : null;
  if (key !== null)
    return scopesFor(wanted).map((each) => {
      const name =
        each === gmailScope
          ? `as ${wanted.account}, signed by ${key.client_email}`
          : `as ${key.client_email} itself`;
      const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
      return tokenCall(`a token for ${each}, ${name}`, null, { grant_type: grant, assertion: secret });
    });
  const clientId =
    source?.kind === "desktop"
      ? source.client.clientId
      : kept?.type === "authorized_user"
        ? kept.client_id
        : secret;
  const client = { client_id: clientId, client_secret: secret };
  const hasLogin = kept?.type === "authorized_user" && kept.client_id === clientId;
  const when = hasLogin ? "if the login that is kept no longer works, or may do too little" : null;
  return [
    ...(hasLogin
      ? [
          tokenCall("a token for the login that is kept", null, {
            grant_type: "refresh_token",
            refresh_token: secret,
            ...client,
          }),
        ]
      : []),
    {
      what: `opened in a browser: consent to ${scope}`,
      when,
      method: "GET",
      url: consentUrl(endpoints, clientId, scope, wanted.account),
    },
    tokenCall("the login, for the code that the consent gave", when, {
      grant_type: "authorization_code",
      code: secret,
      code_verifier: secret,
      redirect_uri: "http://127.0.0.1:PORT",
      ...client,
    }),
  ];
}

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

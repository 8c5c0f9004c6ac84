// Every call that the setup makes, as a plain value that the setup sends, --dry-run prints and tests compare.
import type { Call } from "./ask.ts";
import type { Cloud } from "./goal.ts";

/** URLs without a slash at the end. */
export type Endpoints = { authorize: string; oauth: string; gmail: string; pubsub: string };

export const googleEndpoints: Endpoints = {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  oauth: "https://oauth2.googleapis.com",
  gmail: "https://gmail.googleapis.com",
  pubsub: "https://pubsub.googleapis.com",
};

export const publisher = {
  role: "roles/pubsub.publisher",
  member: "serviceAccount:gmail-api-push@system.gserviceaccount.com",
} as const;

/** Marks what the setup made, so that `gmail stop --delete` deletes nothing else. */
export const madeByUs = { "managed-by": "rouse" } as const;
/** Marks the subscription when the setup added the topic's grant, too. */
export const grantMadeByUs = { "rouse-grant": "made" } as const;

export const ackDeadlineSeconds = 60;

export type Policy = {
  version?: number;
  etag?: string;
  bindings?: { role: string; members?: string[]; condition?: unknown }[];
};

export function gmailCalls({ gmail }: Endpoints) {
  const me = `${gmail}/gmail/v1/users/me`;
  return {
    profile: (): Call => ({ method: "GET", url: `${me}/profile` }),
    labels: (): Call => ({ method: "GET", url: `${me}/labels` }),
    watch: (topicName: string, labelId: string): Call => ({
      method: "POST",
      url: `${me}/watch`,
      body: { topicName, labelIds: [labelId], labelFilterBehavior: "INCLUDE" },
    }),
    stop: (): Call => ({ method: "POST", url: `${me}/stop` }),
  };
}

export function cloudCalls({ pubsub }: Endpoints, { topic, subscription, push }: Cloud) {
  const topicUrl = `${pubsub}/v1/${topic}`;
  const subscriptionUrl = `${pubsub}/v1/${subscription}`;
  return {
    getTopic: (): Call => ({ method: "GET", url: topicUrl }),
    makeTopic: (): Call => ({ method: "PUT", url: topicUrl, body: { labels: madeByUs } }),
    deleteTopic: (): Call => ({ method: "DELETE", url: topicUrl }),
    listSubscriptions: (): Call => ({ method: "GET", url: `${topicUrl}/subscriptions` }),
    getPolicy: (): Call => ({
      method: "GET",
      url: `${topicUrl}:getIamPolicy?options.requestedPolicyVersion=3`,
    }),
    setPolicy: (policy: Policy): Call => ({
      method: "POST",
      url: `${topicUrl}:setIamPolicy`,
      body: { policy },
    }),
    getSubscription: (): Call => ({ method: "GET", url: subscriptionUrl }),
    makeSubscription: (labels: Readonly<Record<string, string>>): Call => ({
      method: "PUT",
      url: subscriptionUrl,
      body: { topic, ...subscriptionSettings(push), labels },
    }),
    changeSubscription: (fields: Readonly<Record<string, unknown>>): Call => ({
      method: "PATCH",
      url: subscriptionUrl,
      body: { subscription: { name: subscription, ...fields }, updateMask: Object.keys(fields).join(",") },
    }),
    deleteSubscription: (): Call => ({ method: "DELETE", url: subscriptionUrl }),
  };
}

/** An empty expiration policy means never; the default deletes a subscription after 31 days without use. */
export const subscriptionSettings = (push: Cloud["push"]) => ({
  ackDeadlineSeconds,
  expirationPolicy: {},
  pushConfig:
    push === null
      ? {}
      : {
          pushEndpoint: push.endpoint,
          oidcToken: { serviceAccountEmail: push.serviceAccount, audience: push.audience },
        },
});

// Builds the `GmailConfig` from `hooks.gmail`.
import { secondsToMs } from "../../core/duration.ts";
import { resolve } from "node:path";
import { withoutEndSlash } from "../../core/text.ts";
import type { GmailConfig } from "../config.ts";
import type { Settings } from "../schema/index.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

const google = {
  oauth: "https://oauth2.googleapis.com",
  gmail: "https://gmail.googleapis.com",
  pubsub: "https://pubsub.googleapis.com",
  certs: "https://www.googleapis.com",
};

export function buildGmail(gmail: Settings["hooks"]["gmail"], folder: string): GmailConfig | null {
  if (gmail?.account === undefined) return null;
  const { topic = null, subscription, endpoints, catchUp } = gmail;
  return {
    account: gmail.account,
    label: gmail.label,
    excludeLabels: gmail.excludeLabels,
    mode: gmail.mode,
    credentialsFile: resolve(folder, gmail.credentialsFile),
    pollMs: secondsToMs(gmail.pollSeconds),
    topic,
    subscription: subscription.includes("/") ? subscription : inProjectOf(topic, subscription),
    oidc: gmail.oidc ?? null,
    pushPath: gmail.pushPath,
    includeBody: gmail.includeBody,
    maxBytes: gmail.maxBytes,
    renewEveryMs: gmail.renewEveryMinutes * minuteMs,
    catchUp: { maxAgeMs: catchUp.maxAgeHours * hourMs, maxMessages: catchUp.maxMessages },
    endpoints: {
      oauth: withoutEndSlash(endpoints.oauth ?? google.oauth),
      gmail: withoutEndSlash(endpoints.gmail ?? google.gmail),
      pubsub: withoutEndSlash(endpoints.pubsub ?? google.pubsub),
      certs: withoutEndSlash(endpoints.certs ?? google.certs),
    },
  };
}

const inProjectOf = (topic: string | null, name: string): string | null =>
  topic === null ? null : `${topic.slice(0, topic.indexOf("/topics/"))}/subscriptions/${name}`;

// The table of senders.
import { customDescription } from "../custom.ts";
import type { SenderKind } from "../kind.ts";
import { bitbucket } from "./bitbucket.ts";
import { calendly } from "./calendly.ts";
import { dropbox } from "./dropbox.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { hubspot } from "./hubspot.ts";
import { intercom } from "./intercom.ts";
import { jira } from "./jira.ts";
import { linear } from "./linear.ts";
import { meta } from "./meta.ts";
import { notion } from "./notion.ts";
import { pagerduty } from "./pagerduty.ts";
import { sentry } from "./sentry.ts";
import { shopify } from "./shopify.ts";
import { slack } from "./slack.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import { telegram } from "./telegram.ts";
import { typeform } from "./typeform.ts";
import { vercel } from "./vercel.ts";
import { zoom } from "./zoom.ts";

const all: readonly SenderKind[] = [
  bitbucket,
  calendly,
  dropbox,
  gitea,
  github,
  gitlab,
  hubspot,
  intercom,
  jira,
  linear,
  meta,
  notion,
  pagerduty,
  sentry,
  shopify,
  slack,
  standardWebhooks,
  stripe,
  telegram,
  typeform,
  vercel,
  zoom,
  customDescription,
];

export const senderKinds: ReadonlyMap<string, SenderKind> = new Map(all.map((kind) => [kind.id, kind]));

// The table of senders.
import { customDescription } from "../custom.ts";
import type { SenderKind } from "../kind.ts";
import { adyen } from "./adyen.ts";
import { alertmanager } from "./alertmanager.ts";
import { asana } from "./asana.ts";
import { awsSns } from "./aws-sns.ts";
import { basic } from "./basic.ts";
import { bitbucket } from "./bitbucket.ts";
import { box } from "./box.ts";
import { buildkite } from "./buildkite.ts";
import { calendly } from "./calendly.ts";
import { circleci } from "./circleci.ts";
import { clerk } from "./clerk.ts";
import { cloudevents } from "./cloudevents.ts";
import { customerio } from "./customerio.ts";
import { datadog } from "./datadog.ts";
import { discord } from "./discord.ts";
import { docusign } from "./docusign.ts";
import { dropbox } from "./dropbox.ts";
import { eventbridge } from "./eventbridge.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { googlePubsub } from "./google-pubsub.ts";
import { grafana } from "./grafana.ts";
import { hubspot } from "./hubspot.ts";
import { intercom } from "./intercom.ts";
import { jira } from "./jira.ts";
import { linear } from "./linear.ts";
import { mailgun } from "./mailgun.ts";
import { meta } from "./meta.ts";
import { microsoftGraph } from "./microsoft-graph.ts";
import { monday } from "./monday.ts";
import { notion } from "./notion.ts";
import { okta } from "./okta.ts";
import { openai } from "./openai.ts";
import { paddle } from "./paddle.ts";
import { pagerduty } from "./pagerduty.ts";
import { paypal } from "./paypal.ts";
import { resend } from "./resend.ts";
import { sendgrid } from "./sendgrid.ts";
import { sentry } from "./sentry.ts";
import { shopify } from "./shopify.ts";
import { slack } from "./slack.ts";
import { square } from "./square.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import { svix } from "./svix.ts";
import { telegram } from "./telegram.ts";
import { token } from "./token.ts";
import { trello } from "./trello.ts";
import { twilio } from "./twilio.ts";
import { twitch } from "./twitch.ts";
import { typeform } from "./typeform.ts";
import { vercel } from "./vercel.ts";
import { zendesk } from "./zendesk.ts";
import { zoom } from "./zoom.ts";

const all: readonly SenderKind[] = [
  adyen,
  alertmanager,
  asana,
  awsSns,
  basic,
  bitbucket,
  box,
  buildkite,
  calendly,
  circleci,
  clerk,
  cloudevents,
  customerio,
  datadog,
  discord,
  docusign,
  dropbox,
  eventbridge,
  gitea,
  github,
  gitlab,
  googlePubsub,
  grafana,
  hubspot,
  intercom,
  jira,
  linear,
  mailgun,
  meta,
  microsoftGraph,
  monday,
  notion,
  okta,
  openai,
  paddle,
  pagerduty,
  paypal,
  resend,
  sendgrid,
  sentry,
  shopify,
  slack,
  square,
  standardWebhooks,
  stripe,
  svix,
  telegram,
  token,
  trello,
  twilio,
  twitch,
  typeform,
  vercel,
  zendesk,
  zoom,
  customDescription,
];

export const senderKinds: ReadonlyMap<string, SenderKind> = new Map(all.map((kind) => [kind.id, kind]));

import type { SenderKind } from "../kind.ts";

export const datadog: SenderKind = {
  id: "datadog",
  label: "Datadog",
  secret: { from: "us", where: "Custom Headers of the webhook" },
  takes: ["header"],
  schemes: [{ proof: { kind: "equal", at: [{ header: "x-webhook-secret" }] } }],
  event: { at: [{ json: "event_type" }], signed: false },
  replay: "none",
  body: { types: ["json", "form"] },
  describe: {
    checks: "The secret in `X-Webhook-Secret`, or in the header that `header` names.",
    doesNotCheck: "The body: the secret is the same for each notification.",
    retries: "Up to five times, 5 seconds apart, after a 5xx or a time-out.",
    setUp: [
      "Open Integrations, Webhooks, New. URL: ADDRESS.",
      'Custom Headers: {"X-Webhook-Secret": "SECRET"}. Payload: as you like, such as {"id": "$ID", "event_type": "$EVENT_TYPE", "title": "$EVENT_TITLE", "text": "$TEXT_ONLY_MSG"}.',
      "Write @webhook-NAME into the message of a monitor.",
    ],
    docs: "https://docs.datadoghq.com/integrations/webhooks/",
  },
};

import type { Proof, SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

const plain = bodyMac({ header: "x-grafana-alerting-signature" });
/** The operator names it. Both stand in Grafana's documentation. */
const timeHeaders = ["x-grafana-alerting-timestamp", "x-grafana-alerting-signature-timestamp"];
const timed: Proof = { ...plain, message: ["time", { text: ":" }, "body"] } as Proof;

export const grafana: SenderKind = {
  id: "grafana",
  label: "Grafana",
  secret: { from: "us", where: "HMAC Signature, Secret of the contact point" },
  schemes: [
    ...timeHeaders.map((header) => ({
      proof: timed,
      time: { at: { header }, unit: "s" as const, toleranceSeconds: 300 },
    })),
    { proof: plain },
  ],
  event: { at: [{ json: "status" }], signed: true },
  // A group of alerts that goes on is told again with an equal body.
  replay: "none",
  body: { types: ["json"] },
  methods: ["POST", "PUT"],
  describe: {
    checks:
      "The body, by HMAC-SHA256 in `X-Grafana-Alerting-Signature`; the time too, with the timestamp header `X-Grafana-Alerting-Timestamp`.",
    doesNotCheck:
      "Whether it came before, without the timestamp header: honest repeats are equal to the byte.",
    retries: "A few times within some minutes, and again with the next change of the alerts.",
    setUp: [
      "Open Alerting, Contact points, Create. Integration: Webhook. URL: ADDRESS.",
      "HMAC Signature: Secret SECRET, Header X-Grafana-Alerting-Signature, Timestamp header X-Grafana-Alerting-Timestamp.",
      "Press Test, then Save.",
    ],
    docs: "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
  },
};

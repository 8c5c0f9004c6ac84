import type { SenderKind } from "../kind.ts";

export const alertmanager: SenderKind = {
  id: "alertmanager",
  label: "Prometheus Alertmanager",
  secret: { from: "us", where: "`http_config.authorization.credentials` of the receiver" },
  schemes: [{ proof: { kind: "equal", at: [{ header: "authorization", prefix: "Bearer " }] } }],
  event: { at: [{ json: "status" }], signed: false },
  // A group of alerts that goes on is told again with an equal body.
  replay: "none",
  body: { types: ["json"] },
  describe: {
    checks: "The secret in `Authorization: Bearer`.",
    doesNotCheck: "The body: the secret is the same for each notification.",
    retries: "With growing waits, for 5xx and lost connections, until the group's next notification.",
    setUp: [
      "In alertmanager.yml, give a receiver: webhook_configs: [{ url: ADDRESS, http_config: { authorization: { credentials: SECRET } } }].",
      "Name the receiver in a route, then reload Alertmanager.",
    ],
    docs: "https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
  },
};

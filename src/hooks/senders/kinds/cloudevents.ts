import { repeated, singleHeader } from "../../../http/headers.ts";
import type { SenderKind } from "../kind.ts";

export const cloudevents: SenderKind = {
  id: "cloudevents",
  label: "CloudEvents over HTTP",
  secret: { from: "us", where: "the access token that the sender is to send as Authorization: Bearer" },
  takes: ["origins"],
  schemes: [
    {
      proof: { kind: "equal", at: [{ header: "authorization", prefix: "Bearer " }] },
      // Producers keep ids apart only within one source.
      delivery: {
        at: [{ header: "ce-id" }, { json: "id" }],
        within: [{ header: "ce-source" }, { json: "source" }],
        signed: false,
      },
    },
  ],
  event: { at: [{ header: "ce-type" }, { json: "type" }], signed: false },
  replay: "none",
  body: { types: ["json", "xml"] },
  handshakes: [
    {
      proven: false,
      method: "OPTIONS",
      asks: ({ rawHeaders }) => singleHeader(rawHeaders, "webhook-request-origin") !== undefined,
      // Only an origin that the config names may send. `WebHook-Request-Callback` is never called.
      answer({ rawHeaders }, { settings }) {
        const origin = singleHeader(rawHeaders, "webhook-request-origin");
        if (typeof origin !== "string" || !settings.origins.includes(origin)) return null;
        const rate = singleHeader(rawHeaders, "webhook-request-rate");
        if (rate === repeated) return null;
        return {
          status: 200,
          headers: {
            Allow: "POST",
            "WebHook-Allowed-Origin": origin,
            ...(rate !== undefined && { "WebHook-Allowed-Rate": "*" }),
          },
        };
      },
    },
  ],
  describe: {
    checks: "The access token in `Authorization: Bearer`; the sender's origin when it asks for consent.",
    doesNotCheck: "The event: the token is the same for each one.",
    retries: "As the sender decides; 429 and 503 with Retry-After are heeded.",
    setUp: [
      "Give the sender the address ADDRESS and the access token SECRET.",
      "Put the origin that it sends from, such as `eventgrid.azure.net`, into the config as `origins`.",
    ],
    docs: "https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md",
  },
};

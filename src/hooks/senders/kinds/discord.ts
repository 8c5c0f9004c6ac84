import { readField } from "../../../core/field-path.ts";
import type { SenderKind } from "../kind.ts";
import type { SenderRequest } from "../request.ts";

const typeOf = (request: SenderRequest): unknown => readField(request.json(), ["type"]);
const hasEvent = (request: SenderRequest): boolean => readField(request.json(), ["event"]) !== undefined;

export const discord: SenderKind = {
  id: "discord",
  label: "Discord",
  secret: { from: "public-key", where: "Public Key under General Information of the application" },
  schemes: [
    {
      proof: {
        kind: "public-key",
        algorithm: "ed25519",
        encoding: "hex",
        at: [{ header: "x-signature-ed25519" }],
        message: ["time", "body"],
      },
      time: { at: { header: "x-signature-timestamp" }, unit: "s", toleranceSeconds: 300 },
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "event.type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      // A ping of interactions; with an event it is one.
      proven: true,
      asks: (request) => typeOf(request) === 1 && !hasEvent(request),
      answer: () => ({ status: 200, type: "application/json", body: '{"type":1}' }),
    },
    {
      // A ping of webhook events.
      proven: true,
      asks: (request) => typeOf(request) === 0,
      answer: () => ({ status: 204, type: "application/json" }),
    },
  ],
  answer: { status: 204, type: "application/json" },
  always401: true,
  describe: {
    checks: "Time and body, by Ed25519 in `X-Signature-Ed25519`. Discord sends wrong signatures to try it.",
    doesNotCheck:
      "Nothing of a webhook event. Commands and buttons want an answer of their own within 3 seconds, which a hook does not give: use it for webhook events.",
    retries: "With growing waits for ten minutes; too many failures stop the events.",
    setUp: [
      "Open discord.com/developers/applications, your application, General Information, and copy the Public Key into the config.",
      "Webhooks, Endpoint URL: ADDRESS. Turn on Events and choose them, then Save Changes. Discord asks twice, and Rouse answers.",
    ],
    docs: "https://docs.discord.com/developers/events/webhook-events",
  },
};

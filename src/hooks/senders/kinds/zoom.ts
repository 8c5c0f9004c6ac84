import { createHmac } from "node:crypto";
import { readField } from "../../../core/field-path.ts";
import { echoJson, plainWord } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";
import type { SenderRequest } from "../request.ts";

const plainTokenOf = (request: SenderRequest): string | null => {
  const payload = request.json();
  const token = readField(payload, ["payload", "plainToken"]);
  const asks = readField(payload, ["event"]) === "endpoint.url_validation";
  return asks && typeof token === "string" ? token : null;
};

export const zoom: SenderKind = {
  id: "zoom",
  label: "Zoom",
  secret: { from: "sender", where: "Secret Token under Features, Access of the app" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-zm-signature", prefix: "v0=" }],
        message: [{ text: "v0:" }, "time", { text: ":" }, "body"],
      },
      time: { at: { header: "x-zm-request-timestamp" }, unit: "s", toleranceSeconds: 300 },
    },
  ],
  event: { at: [{ json: "event" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      // The answer is made with the key that signs events: only for a proven question, and only for a plain word.
      proven: true,
      asks: (request) => plainTokenOf(request) !== null,
      answer(request, { secret }) {
        const plainToken = plainTokenOf(request) ?? "";
        if (!plainWord.test(plainToken) || secret === null) return null;
        const encryptedToken = createHmac("sha256", secret).update(plainToken).digest("hex");
        return echoJson({ plainToken, encryptedToken });
      },
    },
  ],
  describe: {
    checks:
      "Time and body, by HMAC-SHA256 in `x-zm-signature`. Zoom asks for the secret every 72 hours; Rouse answers.",
    retries: `After 5, 20 and 60 minutes. The answer must come within 3 seconds. ${unknownRetryTime}`,
    setUp: [
      "Open marketplace.zoom.us, Manage, your app, Features, Access, and copy the Secret Token into the config.",
      "Event Subscriptions, Add. Event notification endpoint URL: ADDRESS, then Validate.",
      "Choose the events, then Save.",
    ],
    docs: "https://developers.zoom.us/docs/api/webhooks/",
  },
};

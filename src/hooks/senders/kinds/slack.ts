import { echoJson, type Answer } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";
import type { SenderRequest } from "../request.ts";

const empty: Answer = { status: 200 };

const challengeOf = (request: SenderRequest): string | null => {
  const payload = request.json() as { type?: unknown; challenge?: unknown } | null | undefined;
  const { type, challenge } = payload ?? {};
  return type === "url_verification" && typeof challenge === "string" ? challenge : null;
};

export const slack: SenderKind = {
  id: "slack",
  label: "Slack",
  secret: {
    from: "sender",
    shape: { pattern: /^[0-9A-Za-z]{32}$/, says: "has 32 letters and digits" },
    where: "Signing Secret under Basic Information, App Credentials",
  },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-slack-signature", prefix: "v0=" }],
        message: [{ text: "v0:" }, "time", { text: ":" }, "body"],
      },
      time: { at: { header: "x-slack-request-timestamp" }, unit: "s", toleranceSeconds: 300 },
      delivery: { at: [{ json: "event_id" }], signed: true },
    },
  ],
  event: { at: [{ json: "event.type" }, { json: "type" }, { form: "command" }], signed: true },
  replay: "body",
  body: { types: ["json", "form"], formField: "payload" },
  handshakes: [
    {
      proven: true,
      asks: (request) => challengeOf(request) !== null,
      answer: (request) => echoJson({ challenge: challengeOf(request) ?? "" }),
    },
    {
      // Slack checks the certificate without signing: it hears 200, and nothing of the request is used.
      proven: false,
      method: "POST",
      asks: (request) => request.form().get("ssl_check") === "1",
      answer: () => empty,
    },
  ],
  // Slack shows a body to the person who typed the command.
  answer: empty,
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `X-Slack-Signature`.",
    retries: "Events: three times. Commands and buttons: never; the answer must come within 3 seconds.",
    setUp: [
      "Open api.slack.com/apps, your app, Basic Information, and copy the Signing Secret into the config.",
      "Event Subscriptions, Request URL: ADDRESS. Slack asks once, and Rouse answers.",
      "For a slash command or buttons, paste the same address there.",
    ],
    docs: "https://docs.slack.dev/authentication/verifying-requests-from-slack",
  },
};

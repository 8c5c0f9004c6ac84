import { verify } from "node:crypto";
import { readField } from "../../../core/field-path.ts";
import { pinnedUrl, type PinnedAddress, rsaKeyIn } from "../certificate.ts";
import type { ProofFailure, Prove, SenderKind } from "../kind.ts";
import type { SenderRequest } from "../request.ts";

const host = /^sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;
const certificates: PinnedAddress = { host, path: /^\/SimpleNotificationService-[0-9a-zA-Z]+\.pem$/ };
const confirmations: PinnedAddress = { host, path: /^\/$/ };

const ofNotification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const ofConfirmation = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

const fieldOf = (request: SenderRequest, name: string): string | null => {
  const value = readField(request.json(), [name]);
  return typeof value === "string" ? value : null;
};

/** Each signed field as its name, a line feed, its value, a line feed. Null: one is missing. */
function signedText(request: SenderRequest): string | null {
  const isNotification = fieldOf(request, "Type") === "Notification";
  let text = "";
  for (const name of isNotification ? ofNotification : ofConfirmation) {
    const value = fieldOf(request, name);
    if (value === null && name === "Subject") continue;
    if (value === null) return null;
    text += `${name}\n${value}\n`;
  }
  return text;
}

const malformed: ProofFailure = { failed: "malformed" };
const wrong: ProofFailure = { failed: "wrong-secret" };

const prove: Prove = async (request, { now, settings, fetchText }) => {
  const version = fieldOf(request, "SignatureVersion");
  const signature = fieldOf(request, "Signature");
  const address = pinnedUrl(readField(request.json(), ["SigningCertURL"]), certificates);
  const text = signedText(request);
  if (signature === null || address === null || text === null) return malformed;
  if (version !== "1" && version !== "2") return malformed;
  // Anybody can publish messages that SNS signs: the topic says whose they are.
  if (!settings.topicArns.includes(fieldOf(request, "TopicArn") ?? "")) return wrong;
  const key = rsaKeyIn(await fetchText(address), now);
  const hash = version === "1" ? "RSA-SHA1" : "RSA-SHA256";
  if (key === null) return wrong;
  return verify(hash, Buffer.from(text, "utf8"), key, Buffer.from(signature, "base64"))
    ? { secret: null }
    : wrong;
};

export const awsSns: SenderKind = {
  id: "aws-sns",
  label: "Amazon SNS",
  secret: { from: "none", where: "nowhere: SNS signs with certificates of its own" },
  needs: { topicArns: "the ARN of the topic, on its page in the SNS console" },
  schemes: [
    {
      proof: { kind: "code", prove },
      time: { at: { json: "Timestamp" }, unit: "iso", toleranceSeconds: 3600 },
      delivery: { at: [{ json: "MessageId" }], signed: true },
    },
  ],
  event: { at: [{ json: "Type" }], signed: true },
  pings: ["UnsubscribeConfirmation"],
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: true,
      asks: (request) => fieldOf(request, "Type") === "SubscriptionConfirmation",
      // To confirm is to ask the address in the message, which is signed and pinned.
      async answer(request, { fetchText }) {
        const address = pinnedUrl(readField(request.json(), ["SubscribeURL"]), confirmations);
        if (address === null) return null;
        await fetchText(address);
        return { status: 200 };
      },
    },
  ],
  describe: {
    checks:
      "Message, subject, id, time (an hour) and topic, by RSA with a certificate of SNS; the topic must be yours.",
    doesNotCheck:
      "Message attributes, which SNS does not sign. Raw message delivery has no signature: leave it off.",
    retries: "Three times, 20 seconds apart, for 5xx and lost connections; never after a 4xx.",
    setUp: [
      "Put the topic's ARN into the config as `topicArns`.",
      "Open SNS, Subscriptions, Create subscription. Protocol: HTTPS. Endpoint: ADDRESS. SNS asks for confirmation, and Rouse gives it.",
    ],
    docs: "https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
  },
};

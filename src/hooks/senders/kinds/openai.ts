import type { SenderKind } from "../kind.ts";
import { standardSender } from "./standard-webhooks.ts";

export const openai: SenderKind = standardSender({
  id: "openai",
  label: "OpenAI",
  where: "the signing secret that OpenAI shows once when the webhook is made",
  family: "webhook",
  describe: {
    checks: "Id, time and body, by HMAC-SHA256 (`v1`) in `webhook-signature`.",
    retries: "For up to 72 hours with growing waits.",
    setUp: [
      "Open the project's Settings, Webhooks, Create. URL: ADDRESS. Choose the events.",
      "Copy the signing secret (`whsec_…`), which is shown once, into the config.",
    ],
    docs: "https://platform.openai.com/docs/guides/webhooks",
  },
});

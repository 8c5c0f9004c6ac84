import type { SenderKind } from "../kind.ts";
import { standardSender } from "./standard-webhooks.ts";

export const resend: SenderKind = standardSender({
  id: "resend",
  label: "Resend",
  where: "Signing Secret on the page of the webhook",
  family: "svix",
  describe: {
    checks: "Id, time and body, by HMAC-SHA256 (`v1`) in `svix-signature`.",
    retries: "After 5 seconds, 5 and 30 minutes, 2, 5 and 10 hours.",
    setUp: [
      "Open Webhooks, Add Webhook. Endpoint URL: ADDRESS. Choose the events.",
      "Copy the Signing Secret (`whsec_…`) into the config.",
    ],
    docs: "https://resend.com/docs/dashboard/webhooks/verify-webhooks-requests",
  },
});

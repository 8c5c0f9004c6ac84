import type { SenderKind } from "../kind.ts";
import { standardSender } from "./standard-webhooks.ts";

export const clerk: SenderKind = standardSender({
  id: "clerk",
  label: "Clerk",
  where: "Signing Secret on the page of the endpoint",
  family: "svix",
  describe: {
    checks: "Id, time and body, by HMAC-SHA256 (`v1`) in `svix-signature`.",
    retries: "After 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours.",
    setUp: [
      "Open the dashboard, Configure, Webhooks, Add Endpoint. Endpoint URL: ADDRESS. Choose the events.",
      "Copy the Signing Secret (`whsec_…`) into the config.",
    ],
    docs: "https://clerk.com/docs/webhooks/overview",
  },
});

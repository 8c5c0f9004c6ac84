import type { SenderKind } from "../kind.ts";
import { standardSender } from "./standard-webhooks.ts";

export const svix: SenderKind = standardSender({
  id: "svix",
  label: "Svix",
  where: "Signing Secret on the page of the endpoint",
  family: "svix",
  describe: {
    checks: "Id, time and body, by HMAC-SHA256 (`v1`) in `svix-signature`.",
    retries: "After 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours.",
    setUp: [
      "Open the application portal, Endpoints, Add Endpoint. Endpoint URL: ADDRESS.",
      "Copy the Signing Secret (`whsec_…`) into the config.",
    ],
    docs: "https://docs.svix.com/receiving/verifying-payloads/how-manual",
  },
});

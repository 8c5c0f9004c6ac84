// `gateway`: where the service listens, whom it trusts, how it stops.
import { isIP } from "node:net";
import { z } from "zod";
import { secret, seconds, text, wholeNumber } from "./field.ts";

const hostName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export function isAddressRange(written: string): boolean {
  const [address = "", bits, ...rest] = written.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes("%")) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export const gateway = z.strictObject({
  host: text()
    .refine((written) => isIP(written) !== 0 || hostName.test(written), "must be an address or a host name")
    .default("127.0.0.1")
    .describe("The address to listen on. Anything but loopback belongs behind a private network or a proxy."),
  port: wholeNumber(0, 65_535).default(4665).describe("The port to listen on. `0` takes a free one."),
  auth: z
    .strictObject({
      token: secret(
        "The service's own token, for the admin API and the console. Without it neither exists. Never the hook token.",
      ).optional(),
    })
    .prefault({})
    .describe("How the service's own API is protected."),
  publicHosts: z
    .array(
      text()
        .toLowerCase()
        .refine((written) => isIP(written) !== 0 || hostName.test(written), "must be an address or a host name, without a port"),
    )
    .default([])
    .describe(
      "Names under which the admin API is asked besides loopback names and `gateway.host`, such as that of a reverse proxy. Under any other name it responds with 421, so that no page in a browser can reach it through a name of its own.",
    ),
  trustedProxies: z
    .array(text().refine(isAddressRange, "must be an address or a CIDR range, such as 10.0.0.0/8"))
    .default([])
    .describe("Addresses or CIDR ranges of the proxies whose `X-Forwarded-For` counts."),
  drainSeconds: seconds(86_400, 0)
    .default(30)
    .describe("How long a stop waits for running agents; unfinished runs are released then."),
  maxConnections: wholeNumber(1, 1_000_000).default(5000).describe("Connections open at the same time."),
});

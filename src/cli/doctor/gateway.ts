// Checks that a gateway responds at the configured address.
import type { Config } from "../../config/config.ts";
import { addressOf, localHost } from "../open/address.ts";
import { faultCode } from "../send/post.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";

const timeoutMs = 3000;

export async function checkGateway({
  host,
  port,
}: Pick<Config["gateway"], "host" | "port">): Promise<Finding> {
  if (port === 0) return notChecked("gateway", "gateway.port is 0, any free port");
  const address = addressOf(localHost(host), port);
  try {
    const response = await fetch(`${address}/readyz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return judgeStatus(address, response.status);
  } catch (fault) {
    const code = faultCode(fault);
    return code === "ECONNREFUSED"
      ? warn("gateway", `not running: nothing listens on ${address}`, "Start it with: rouse start")
      : warn("gateway", `${address} did not respond (${code})`, "See gateway.host and gateway.port.");
  }
}

function judgeStatus(address: string, status: number): Finding {
  if (status === 200) return ok("gateway", `responds on ${address}, and accepts requests`);
  if (status === 503)
    return fail(
      "gateway",
      `running on ${address}, but cannot accept requests now`,
      "See its log: it is stopping, or its store is away.",
    );
  return warn(
    "gateway",
    `another program responds on ${address} (status ${status} on /readyz)`,
    "Another program has this port: change gateway.port.",
  );
}

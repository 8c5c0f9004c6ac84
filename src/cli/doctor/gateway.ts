// The gateway: is one answering where the config says?
import type { Config } from "../../config/config.ts";
import { addressOf, localHost } from "../open/address.ts";
import { faultCode } from "../send/post.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";

const patienceMs = 3000;

export async function checkGateway({
  host,
  port,
}: Pick<Config["gateway"], "host" | "port">): Promise<Finding> {
  if (port === 0) return notChecked("gateway", "gateway.port is 0, any free port");
  const address = addressOf(localHost(host), port);
  try {
    const response = await fetch(`${address}/readyz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
    });
    await response.body?.cancel();
    return judgeAnswer(address, response.status);
  } catch (fault) {
    const code = faultCode(fault);
    return code === "ECONNREFUSED"
      ? warn("gateway", `not running: nothing listens on ${address}`, "Start it with: rouse start")
      : warn("gateway", `${address} gave no answer (${code})`, "See gateway.host and gateway.port.");
  }
}

function judgeAnswer(address: string, status: number): Finding {
  if (status === 200) return ok("gateway", `answering on ${address}, able to accept`);
  if (status === 503)
    return fail(
      "gateway",
      `running on ${address}, but cannot accept requests now`,
      "See its log: it is stopping, or its store is away.",
    );
  return warn(
    "gateway",
    `something else answers on ${address} (status ${status} on /readyz)`,
    "Another program has this port: change gateway.port.",
  );
}

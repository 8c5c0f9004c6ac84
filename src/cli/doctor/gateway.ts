// Checks that this home's gateway responds at the configured address. Another one would get this home's tokens from
// `rouse send`. No token is sent to find out: the gateway proves that it has the same store open.
import { randomBytes } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { challengeHeader } from "../../core/store-proof.ts";
import { addressOf, localHost } from "../open/address.ts";
import { faultCode } from "../send/post.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";
import type { ProofCheck } from "./store.ts";

const timeoutMs = 3000;
const longestAnswer = 1000;

/** `isOurs` is null when the store could not be used. */
export async function checkGateway(
  { host, port }: Pick<Config["gateway"], "host" | "port">,
  isOurs: ProofCheck | null,
): Promise<Finding> {
  if (port === 0) return notChecked("gateway", "gateway.port is 0, any free port");
  const address = addressOf(localHost(host), port);
  const challenge = randomBytes(32).toString("base64url");
  try {
    const response = await fetch(`${address}/readyz`, {
      headers: { [challengeHeader]: challenge },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return judgeStatus(address, response.status);
    }
    const proof = await readProof(response);
    return isOurs === null
      ? unknownGateway(address)
      : judgeProof(address, proof !== null && isOurs(challenge, proof));
  } catch (fault) {
    const code = faultCode(fault);
    return code === "ECONNREFUSED"
      ? warn("gateway", `not running: nothing listens on ${address}`, "Start it with: rouse start")
      : warn("gateway", `${address} did not respond (${code})`, "See gateway.host and gateway.port.");
  }
}

/** Null when there is none. Any program may listen there, so the response is not read to its end. */
async function readProof(response: Response): Promise<string | null> {
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > longestAnswer) return null;
  }
  try {
    const { proof } = JSON.parse(text) as { proof?: unknown };
    return typeof proof === "string" ? proof : null;
  } catch {
    return null;
  }
}

const judgeProof = (address: string, isOurs: boolean): Finding =>
  isOurs
    ? ok("gateway", `responds on ${address}, uses this store, and accepts requests`)
    : fail(
        "gateway",
        `what responds on ${address} does not use this store: it is another gateway, or another program`,
        "Change gateway.port, or stop the other one. rouse send would send it this config's token. (A gateway of an older Rouse cannot prove its store: restart it.)",
      );

const unknownGateway = (address: string): Finding =>
  warn(
    "gateway",
    `something responds on ${address}; not checked whether it is this gateway, because the store could not be used`,
    null,
  );

function judgeStatus(address: string, status: number): Finding {
  if (status === 503)
    return fail(
      "gateway",
      `what responds on ${address} cannot accept requests now; not checked whether it is this gateway`,
      "See its log: it is stopping, or its store is away.",
    );
  return fail(
    "gateway",
    `another program responds on ${address} (status ${status} on /readyz)`,
    "Another program has this port: change gateway.port.",
  );
}

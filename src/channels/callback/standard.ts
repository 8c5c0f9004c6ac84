// A result as a request that is signed by Standard Webhooks. Any 2xx means that it was taken; 410 ends it for good; all
// else is tried again, since a receiver that broke may be mended.
import { webhookIdOf } from "../../core/callback.ts";
import { hasEnded, resultResource } from "../../core/result.ts";
import type { Run } from "../../core/run.ts";
import { signatureHeaders } from "../../core/standard-webhooks.ts";
import type { CallbackConfig } from "../../config/config.ts";
import type { SendOutcome } from "../../sdk/channel.ts";
import { again, rejected } from "../outcome.ts";
import { type PlatformResponse, postText, retryAfterMs } from "../request.ts";
import type { Sending } from "./sending.ts";

/** The body, the same at each attempt. */
export function standardBody(run: Run, isThin: boolean): string {
  const data = isThin ? { runId: run.id, status: run.status } : resultResource(run, "reply");
  const timestamp = new Date(run.endedAt ?? run.createdAt).toISOString();
  return JSON.stringify({ type: `run.${run.status}`, timestamp, data });
}

export async function sendStandard(
  run: Run,
  { url, secret, isThin }: Pick<CallbackConfig, "url" | "secret" | "isThin">,
  { fetch, signal, now }: Sending,
): Promise<SendOutcome> {
  if (!hasEnded(run)) return again("the run has not ended");
  const body = standardBody(run, isThin);
  const headers = signatureHeaders({
    id: webhookIdOf(run.id),
    timestampSeconds: Math.floor(now() / 1000),
    body,
    secret: secret ?? "",
  });
  return outcomeOf(await postText(url ?? "", { fetch, signal, headers, body, type: "application/json" }));
}

/** The receiver knows the id, so that it may be sent again although it may have come. */
function outcomeOf(response: PlatformResponse): SendOutcome {
  if (response.kind !== "responded") return again(response.reason);
  const { status, headers } = response;
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (status === 410) return rejected("the receiver answered 410: it wants no more of this");
  const hint = status >= 300 && status < 400 ? ": redirects are not followed" : "";
  return again(`the receiver answered ${status}${hint}`, retryAfterMs(headers));
}

// A reply to the address that Slack gives with a command or an interaction: it may be used five times within 30 minutes.
import type { SendOutcome } from "../../sdk/channel.ts";
import { limited, outcomeOf, rejected } from "../outcome.ts";
import { renderings } from "../renderings.ts";
import { postJson, retryAfterMs } from "../request.ts";
import type { Sending } from "./sending.ts";

export const renderForSlack = renderings.slack;

export async function sendSlackResponse(
  { address, text }: { address: string; text: string },
  { fetch, signal }: Sending,
): Promise<SendOutcome> {
  const response = await postJson(address, {
    fetch,
    signal,
    body: { text, response_type: "ephemeral", mrkdwn: true },
  });
  return outcomeOf(response, ({ status, headers, text: said }) => {
    if (status === 200) return { kind: "sent" };
    if (status === 429) return limited(retryAfterMs(headers));
    if (/expired_url|used_url/.test(said) || status === 404 || status === 410)
      return rejected(
        "Slack no longer takes a response: its address may be used five times within 30 minutes",
      );
    return null;
  });
}

// Slack, through the Web API. An error comes with the status 200, too.
import { z } from "zod";
import type { Channel, ChannelTools, SendOutcome } from "../sdk/channel.ts";
import type { SlackSettings } from "../config/schema/channels.ts";
import { again, checkOf, limited, outcomeOf, quoted, rejected, unknown, within } from "./outcome.ts";
import { type Responded, type PlatformResponse, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const recipientForm = /^([CGDUW][A-Z0-9]{5,30})(?::thread:(\d{1,16}\.\d{1,10}))?$/;

const responseForm = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  needed: z.string().optional(),
  user: z.string().optional(),
  team: z.string().optional(),
});

export function createSlack(
  { token, apiBase = "https://slack.com/api" }: SlackSettings,
  { fetch }: ChannelTools,
): Channel {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" };
  const call = (method: string, body: unknown, signal: AbortSignal) =>
    postJson(within(apiBase, method), { headers, body, signal, fetch });
  const read = (response: PlatformResponse) =>
    outcomeOf(response, (responded) => readResponse(responded, token));
  return {
    idempotent: false,
    recipientFault: (to) =>
      recipientForm.test(to)
        ? null
        : "must be the id of a channel or user, such as C0123456789; a thread follows as :thread:1700000000.000100",
    render: renderings.slack,
    async send({ to, text }, signal) {
      const [, channel = to, thread] = recipientForm.exec(to) ?? [];
      const where = thread === undefined ? { channel } : { channel, thread_ts: thread };
      const body = { ...where, text, mrkdwn: true, unfurl_links: false, unfurl_media: false };
      return read(await call("chat.postMessage", body, signal));
    },
    async check(signal) {
      const response = await call("auth.test", {}, signal);
      const { data } = responseForm.safeParse(response.kind === "responded" ? response.json : undefined);
      return checkOf(read(response), `the bot ${data?.user ?? "?"} in ${data?.team ?? "?"}`);
    },
  };
}

function readResponse(responded: Responded, token: string): SendOutcome | null {
  const { data: body } = responseForm.safeParse(responded.json);
  if (!body) return null;
  if (body.ok) return { kind: "sent" };
  const { error = "no reason given", needed } = body;
  if (/^rate_?limited$/.test(error)) return limited(retryAfterMs(responded.headers));
  if (notTaken.has(error)) return again(`Slack responded with ${error}`, retryAfterMs(responded.headers));
  if (breakdowns.has(error)) return unknown(`Slack responded with ${error}`);
  if (error === "missing_scope")
    return rejected(
      `the token lacks the scope ${quoted(needed ?? "chat:write", token)}: add it and reinstall the app`,
    );
  const known = Object.hasOwn(refusals, error) ? refusals[error] : undefined;
  return rejected(known ?? `Slack refused it: ${quoted(error, token)}`);
}

/** By Slack's documentation, the message may have been sent after these. */
const breakdowns = new Set(["internal_error", "fatal_error"]);

/** By the same, the body did not arrive whole, or the service was not there. */
const notTaken = new Set(["request_timeout", "service_unavailable"]);

const badToken = "Slack does not take the token: it is wrong, revoked or expired";

const refusals: Record<string, string> = {
  channel_not_found: "no such channel, or the bot cannot see it: check the id and invite the bot",
  not_in_channel: "the bot is not in the channel: invite it there",
  is_archived: "the channel is archived",
  user_not_found: "no such user",
  user_disabled: "the user's account is disabled",
  cannot_dm_bot: "the recipient is a bot, and bots cannot write to bots",
  messages_tab_disabled: "the app takes no direct messages: turn on its messages tab",
  restricted_action: "the workspace does not let the bot write there",
  msg_too_long: "the message is too long for Slack",
  no_text: "the message has no text",
  invalid_auth: badToken,
  not_authed: badToken,
  token_revoked: badToken,
  token_expired: badToken,
  account_inactive: badToken,
};

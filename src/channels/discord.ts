// Discord, through its REST API.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Channel, ChannelTools, SendOutcome } from "../sdk/channel.ts";
import type { DiscordSettings } from "../config/schema/channels.ts";
import { checkOf, foundId, limited, outcomeOf, quoted, rejected, within } from "./outcome.ts";
import { createLookup } from "./lookup.ts";
import { type Responded, getJson, type PlatformResponse, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const recipientForm = /^(user:)?(\d{17,20})$/;
const suppressEmbeds = 4;

const doneForm = z.object({ id: z.string(), username: z.string().optional() });
const refusalForm = z.object({
  code: z.number().optional(),
  message: z.string().optional(),
  retry_after: z.number().optional().catch(undefined),
});

export function createDiscord(
  { token, apiBase = "https://discord.com/api/v10" }: DiscordSettings,
  { fetch }: ChannelTools,
): Channel {
  const headers = {
    authorization: `Bot ${token}`,
    "user-agent": "DiscordBot (https://www.npmjs.com/package/rouse, 1)",
  };
  const read = (response: PlatformResponse) =>
    outcomeOf(response, (responded) => readResponse(responded, token));
  const post = (path: string, body: unknown, signal: AbortSignal) =>
    postJson(within(apiBase, path), { headers, body, signal, fetch });
  const channelOf = createLookup(async (user, signal) =>
    foundId(await post("users/@me/channels", { recipient_id: user }, signal), read),
  );
  return {
    idempotent: true,
    recipientFault: (to) =>
      recipientForm.test(to) ? null : "must be a channel's id such as 112233445566778899, or user:ID",
    render: renderings.discord,
    async send({ id, to, text }, signal) {
      const [, isUser, target = to] = recipientForm.exec(to) ?? [];
      const channel = isUser ? await channelOf(target, signal) : target;
      if (typeof channel !== "string") return channel;
      return read(await post(`channels/${channel}/messages`, bodyOf(id, text), signal));
    },
    async check(signal) {
      const response = await getJson(within(apiBase, "users/@me"), { headers, signal, fetch });
      const { data } = doneForm.safeParse(response.kind === "responded" ? response.json : undefined);
      return checkOf(read(response), `the bot ${data?.username ?? "?"}`);
    },
  };
}

/** With `enforce_nonce`, a message that has the nonce of one just sent is not sent again. */
const bodyOf = (id: string, text: string) => ({
  content: text,
  allowed_mentions: { parse: [] },
  flags: suppressEmbeds,
  nonce: createHash("sha256").update(id).digest("base64url").slice(0, 25),
  enforce_nonce: true,
});

function readResponse({ status, headers, json }: Responded, token: string): SendOutcome | null {
  if (status < 300) return doneForm.safeParse(json).success ? { kind: "sent" } : null;
  const { data: refusal = {} } = refusalForm.safeParse(json);
  if (status === 429) {
    const seconds = refusal.retry_after;
    return limited(seconds === undefined ? retryAfterMs(headers) : seconds * 1000);
  }
  if (status === 401) return rejected("Discord does not take the token: copy it again from the bot's page");
  if (status < 400 || status >= 500 || refusal.message === undefined) return null;
  return rejected(
    refusals.get(refusal.code) ??
      `Discord refused it: ${quoted(refusal.message, token)} (${refusal.code ?? status})`,
  );
}

const refusals = new Map<number | undefined, string>([
  [10003, "no such channel, or the bot cannot see it"],
  [10013, "no such user"],
  [50001, "the bot has no access to the channel: add it to the server and to the channel"],
  [50007, "the user takes no direct messages from the bot: it must share a server with it and allow them"],
  [50008, "messages cannot be sent in a channel of this kind"],
  [50013, "the bot has no permission to send messages in the channel"],
  [50083, "the thread is archived"],
  [160_005, "the thread is locked"],
  [200_000, "the server's moderation rules blocked the message"],
]);

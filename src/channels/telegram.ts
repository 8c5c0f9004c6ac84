// Telegram, through the Bot API. The bot's token is part of every address.
import { z } from "zod";
import type { Channel, ChannelTools, OutgoingMessage, SendOutcome } from "../sdk/channel.ts";
import type { TelegramSettings } from "../config/schema/channels.ts";
import { checkOf, limited, outcomeOf, quoted, rejected, unknown, within } from "./outcome.ts";
import { type Responded, type PlatformResponse, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const recipientForm = /^(-?[1-9]\d{0,15}|@[A-Za-z]\w{3,31})(?::topic:([1-9]\d{0,9}))?$/;

const responseForm = z.object({
  ok: z.boolean(),
  error_code: z.int().optional(),
  description: z.string().optional(),
  parameters: z
    .object({
      retry_after: z.number().optional().catch(undefined),
      migrate_to_chat_id: z.number().optional(),
    })
    .optional(),
  result: z.object({ username: z.string().optional() }).optional(),
});
type ResponseBody = z.infer<typeof responseForm>;

type Body = {
  chat_id: number | string;
  message_thread_id?: number;
  text: string;
  parse_mode?: "HTML";
  link_preview_options: { is_disabled: true };
};

export function createTelegram(
  { token, apiBase = "https://api.telegram.org" }: TelegramSettings,
  { fetch }: ChannelTools,
): Channel {
  const call = (method: string, body: unknown, signal: AbortSignal) =>
    postJson(within(apiBase, `bot${token}/${method}`), { body, signal, fetch });
  const read = (response: PlatformResponse) =>
    outcomeOf(response, (responded) => readResponse(responded, token));
  return {
    idempotent: false,
    recipientFault: (to) =>
      recipientForm.test(to)
        ? null
        : "must be a chat id such as 12345, or @name; a topic follows as :topic:7",
    render: renderings.telegram,
    async send(message, signal) {
      let body = bodyOf(message);
      let response = await call("sendMessage", body, signal);
      for (const correct of [withoutMarkup, toWhereItMoved]) {
        const corrected = correct(body, responseIn(response));
        if (!corrected) continue;
        body = corrected;
        response = await call("sendMessage", body, signal);
      }
      return read(response);
    },
    async check(signal) {
      const response = await call("getMe", {}, signal);
      return checkOf(
        read(response),
        `the bot @${responseIn(response)?.result?.username ?? "without a name"}`,
      );
    },
  };
}

function bodyOf({ to, text }: OutgoingMessage): Body {
  const [, chat = to, topic] = recipientForm.exec(to) ?? [];
  return {
    chat_id: chat.startsWith("@") ? chat : Number(chat),
    ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
    text,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  };
}

const responseIn = (response: PlatformResponse): ResponseBody | undefined =>
  response.kind === "responded" ? responseForm.safeParse(response.json).data : undefined;

/** Refused for its markup: the same text is sent without it. */
function withoutMarkup(body: Body, response: ResponseBody | undefined): Body | null {
  const { parse_mode: markup, ...rest } = body;
  const isRefused = markup !== undefined && /can't parse entities/i.test(response?.description ?? "");
  return isRefused ? { ...rest, text: plain(body.text) } : null;
}

/** A group that has become a supergroup has another id. */
function toWhereItMoved(body: Body, response: ResponseBody | undefined): Body | null {
  const moved = response?.parameters?.migrate_to_chat_id;
  return moved === undefined ? null : { ...body, chat_id: moved };
}

const plain = (html: string): string =>
  html
    .replace(/<a href="([^"]*)">((?:(?!<a |<\/a>).)*)<\/a>/gs, (_all, address: string, title: string) =>
      title === address ? address : `${title} (${address})`,
    )
    .replace(/<[^<>]*>/g, "")
    .replace(/&(lt|gt|quot|amp);/g, (_all, name: keyof typeof characters) => characters[name]);

const characters = { lt: "<", gt: ">", quot: '"', amp: "&" };

function readResponse(responded: Responded, token: string): SendOutcome | null {
  const { data: response } = responseForm.safeParse(responded.json);
  if (!response) return null;
  if (response.ok) return { kind: "sent" };
  const { error_code: code = responded.status, description = "", parameters } = response;
  if (code === 429) {
    const seconds = parameters?.retry_after;
    return limited(seconds === undefined ? retryAfterMs(responded.headers) : seconds * 1000);
  }
  if (responded.status >= 500) return null;
  if (code >= 500) return unknown(`Telegram responded with ${code}`);
  const known = refusals.find(([form]) => form.test(description));
  return rejected(known?.[1] ?? `Telegram refused it: ${quoted(description, token) || code}`);
}

const refusals: readonly [RegExp, string][] = [
  [/chat not found/i, "no such chat, or the bot is not in it: write to the bot first, or add it there"],
  [/blocked by the user/i, "the bot was blocked by the user"],
  [
    /can't initiate conversation/i,
    "the user has not written to the bot yet: a bot cannot start a conversation",
  ],
  [/user is deactivated/i, "the user's account is deactivated"],
  [/was kicked|not a member/i, "the bot is not a member of the chat any more: add it again"],
  [/can't send messages to (the )?bots/i, "the recipient is a bot, and bots cannot write to bots"],
  [/not enough rights|CHAT_WRITE_FORBIDDEN|have no rights/i, "the bot has no right to write in the chat"],
  [/thread not found/i, "no such topic in the chat"],
  [/TOPIC_CLOSED/i, "the topic is closed"],
  [/message is too long/i, "the message is too long for Telegram"],
  [/^(Unauthorized|Not Found)$/i, "Telegram does not know the token: take it again from @BotFather"],
];

// Microsoft Teams, as a bot, through the Bot Connector. Only the config decides where messages go: the
// owner of any other address would get the bot's token.
import type { Channel, ChannelTools, OutgoingMessage, SendOutcome } from "../sdk/channel.ts";
import type { MsteamsSettings } from "../config/schema/channels.ts";
import { createTokenSource } from "./msteams-token.ts";
import { again, checkOf, outcomeOf, quoted, rejected, within } from "./outcome.ts";
import { type Responded, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const usualBase = "https://smba.trafficmanager.net/teams";
const usualTenant = "botframework.com";

const conversation = /^[^\s:]+:\S+$/;
const person = /^2[89]:/;

export function createMsteams(
  settings: MsteamsSettings,
  { fetch }: ChannelTools,
  { now = () => performance.now() } = {},
): Channel {
  const { appId, appPassword, tenant = usualTenant } = settings;
  const activities = (to: string) =>
    within(
      settings.apiBase ?? usualBase,
      `v3/conversations/${encodeURIComponent(to.toWellFormed())}/activities`,
    );
  const url =
    settings.tokenUrl ??
    `https://login.microsoftonline.com/${encodeURIComponent(tenant.toWellFormed())}/oauth2/v2.0/token`;
  const tokens = createTokenSource({ url, appId, appPassword }, { fetch, now });

  const send = async (
    message: OutgoingMessage,
    signal: AbortSignal,
    isSecond = false,
  ): Promise<SendOutcome> => {
    const token = await tokens.get(signal);
    if (token.kind === "none") return token.outcome;
    const response = await postJson(activities(message.to), {
      headers: { authorization: `Bearer ${token.value}` },
      body: { type: "message", text: message.text, textFormat: "markdown" },
      signal,
      fetch,
    });
    const isRefused = response.kind === "responded" && response.status === 401;
    if (isRefused) tokens.drop(token.value);
    if (isRefused && !isSecond) return send(message, signal, true);
    return outcomeOf(response, (responded) => readResponse(responded, token.value));
  };

  return {
    idempotent: false,
    recipientFault,
    render: renderings.msteams,
    send: (message, signal) => send(message, signal),
    async check(signal) {
      const token = await tokens.get(signal);
      if (token.kind === "none") return checkOf(token.outcome, "");
      return { ok: true, detail: "Microsoft gives the bot a token" };
    },
  };
}

function recipientFault(to: string): string | null {
  if (person.test(to)) return "is the id of a person or a bot: give the id of a conversation with them";
  return conversation.test(to) ? null : "must be the id of a conversation, such as 19:…@thread.tacv2 or a:1…";
}

type ResponseBody = { id?: unknown; error?: { code?: unknown; message?: unknown } | null };

const words: Record<string, string> = {
  BadArgument: "Teams did not understand the message or the conversation's id",
  Unauthorized: "Teams does not accept the bot's token: check appId, appPassword and tenant",
  Forbidden: "Teams does not let the bot write to this conversation",
  BotNotInConversationRoster: "the bot is not a member of this conversation: add it there first",
  ConversationNotFound:
    "Teams knows no such conversation of this bot: take its id from a message the bot got",
  MessageSizeTooBig: "the message is too big for Teams",
};
const usualCodes: Record<number, string> = {
  400: "BadArgument",
  401: "Unauthorized",
  403: "Forbidden",
  404: "ConversationNotFound",
  413: "MessageSizeTooBig",
};

/** Microsoft's page on rate limits: a bot must try again after these, as after 429. */
const passing: ReadonlySet<number> = new Set([412, 502, 504]);

function readResponse({ status, headers, json }: Responded, token: string): SendOutcome | null {
  const { id, error } = (json ?? {}) as ResponseBody;
  if (passing.has(status))
    return again(`Teams was busy with this conversation (${status})`, retryAfterMs(headers));
  if ([408, 429].includes(status) || status >= 500 || (status >= 300 && status < 400)) return null;
  if (status < 300 && !error) return typeof id === "string" ? { kind: "sent" } : null;
  const known = words[String(error?.code)] ?? words[usualCodes[status] ?? ""];
  const detail = typeof error?.message === "string" ? `: ${quoted(error.message, token)}` : "";
  return rejected(`${known ?? `Teams refused it (${status})`}${detail}`);
}

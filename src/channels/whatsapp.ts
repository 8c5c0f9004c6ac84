// WhatsApp, through Meta's Cloud API. Free text is taken only within 24 hours of the recipient's last message; after
// that a template that Meta has approved, with the text as its parameter.
import type { Channel, ChannelTools, SendOutcome } from "../sdk/channel.ts";
import type { WhatsappSettings } from "../config/schema/channels.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import { again, checkOf, limited, outcomeOf, quoted, rejected, unknown, within } from "./outcome.ts";
import { phoneNumber } from "./phone.ts";
import { type Responded, getJson, type PlatformResponse, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const usualBase = "https://graph.facebook.com/v26.0";
/** The platform takes 4096. */
const longestParameter = 1024;

const windowClosed = 131_047;
const limitCodes: ReadonlySet<unknown> = new Set([4, 80_007, 130_429, 131_056]);
/** By Meta's list of error codes, the service was not there, or the message failed to send: it is to be tried again. */
const notSentCodes: ReadonlySet<unknown> = new Set([2, 131_000, 131_016, 131_057, 133_004]);
/** A fault that Meta itself does not know. */
const unknownFault = 1;
const words: Record<number, string> = {
  100: "a setting or the recipient is not what WhatsApp expects",
  190: "the access token is not valid any more: make a new one for the system user",
  131026: "it cannot be delivered to this number: it may not be on WhatsApp",
  131030:
    "a test number may write only to the recipients on its list: add this one, or use a number of your own",
  [windowClosed]:
    "the recipient has not written for 24 hours, and WhatsApp takes only a template then: set channels.whatsapp.template, or have the recipient write first",
};

export function createWhatsapp(settings: WhatsappSettings, { fetch }: ChannelTools): Channel {
  const { token, template } = settings;
  const sender = within(
    settings.apiBase ?? usualBase,
    encodeURIComponent(settings.phoneNumberId.toWellFormed()),
  );
  const headers = { authorization: `Bearer ${token}` };
  const post = (to: string, content: object, signal: AbortSignal) => {
    const body = { messaging_product: "whatsapp", recipient_type: "individual", to, ...content };
    return postJson(`${sender}/messages`, { headers, body, signal, fetch });
  };
  const read = (responded: Responded) => readResponse(responded, token);

  return {
    idempotent: false,
    recipientFault: (to) =>
      phoneNumber(to) === null ? "must be a phone number with its country, such as +15550001111" : null,
    render: renderings.whatsapp,
    async send({ to, text }, signal) {
      const number = phoneNumber(to) ?? to;
      const response = await post(number, freeText(text), signal);
      if (template === undefined || errorOf(response)?.code !== windowClosed)
        return outcomeOf(response, read);
      return outcomeOf(await post(number, templateText(template, text), signal), read);
    },
    async check(signal) {
      const url = `${sender}?fields=verified_name,display_phone_number`;
      const response = await getJson(url, { headers, signal, fetch });
      const outcome = outcomeOf(response, (responded) =>
        nameOf(responded) ? { kind: "sent" } : read(responded),
      );
      return checkOf(outcome, (response.kind === "responded" && nameOf(response)) || "");
    },
  };
}

const freeText = (body: string) => ({ type: "text", text: { body, preview_url: false } });

/** A parameter is one line; a longer text ends where it is cut. */
const templateText = ({ name, language }: { name: string; language: string }, text: string) => ({
  type: "template",
  template: {
    name,
    language: { code: language },
    components: [
      {
        type: "body",
        parameters: [{ type: "text", text: cutWithMark(oneLine(text), longestParameter) }],
      },
    ],
  },
});

type Fault = { code?: unknown; message?: unknown; error_data?: { details?: unknown } | null };
type ResponseBody = {
  error?: Fault | null;
  messages?: unknown;
  display_phone_number?: unknown;
  verified_name?: unknown;
};

const errorOf = (response: PlatformResponse): Fault | null =>
  response.kind === "responded" ? (((response.json ?? {}) as ResponseBody).error ?? null) : null;

function readResponse(responded: Responded, token: string): SendOutcome | null {
  const error = errorOf(responded);
  if (error === null) {
    const { messages } = (responded.json ?? {}) as ResponseBody;
    return responded.status < 300 && Array.isArray(messages) && messages.length > 0 ? { kind: "sent" } : null;
  }
  const { code } = error;
  if (limitCodes.has(code)) return limited(retryAfterMs(responded.headers));
  if (notSentCodes.has(code))
    return again(`WhatsApp could not send it for now (${String(code)})`, retryAfterMs(responded.headers));
  if ([408, 429].includes(responded.status) || responded.status >= 500) return null;
  if (code === unknownFault) return unknown("WhatsApp broke down (1): it may have the message");
  const known = typeof code === "number" ? words[code] : undefined;
  return rejected(`${known ?? "WhatsApp refused it"} (${inItsWords(error, token)})`);
}

function inItsWords({ code, message, error_data: data }: Fault, token: string): string {
  const numbered = `error ${typeof code === "number" ? code : "without a number"}`;
  const text = typeof data?.details === "string" ? data.details : message;
  return typeof text === "string" ? `${numbered}: ${quoted(text, token)}` : numbered;
}

function nameOf({ status, json }: Responded): string | null {
  const { verified_name: name, display_phone_number: number } = (json ?? {}) as ResponseBody;
  return status < 300 && typeof number === "string"
    ? oneLine(typeof name === "string" ? `${name}, ${number}` : number)
    : null;
}

// iMessage through a BlueBubbles server on a Mac. Its password stands in the query of every request.
import type { Channel, ChannelTools, OutgoingMessage, SendOutcome } from "../sdk/channel.ts";
import { checkOf, outcomeOf, quoted, rejected, unknown, within } from "./outcome.ts";
import { type Responded, getJson, postJson } from "./request.ts";

export type BlueBubblesSettings = {
  apiBase: string;
  password: string;
  method: "apple-script" | "private-api";
};

/** It responds only when Messages has the message, which can take long. */
const timeoutMs = 60_000;
/** Messages' own number for a recipient without iMessage. */
const notOnImessage = 22;

/** `to` is the guid of a chat. */
export function createBlueBubbles(
  { apiBase, password, method }: BlueBubblesSettings,
  { fetch }: ChannelTools,
): Pick<Channel, "send" | "check"> {
  const url = (path: string) => within(apiBase, `api/v1/${path}?password=${inQuery(password)}`);
  const read = (responded: Responded) => readResponse(responded, password);
  return {
    async send({ id, to, text }: OutgoingMessage, signal) {
      const body = { chatGuid: to, message: text, tempGuid: `rouse-${id}`, method };
      return outcomeOf(await postJson(url("message/text"), { body, signal, fetch, timeoutMs }), read);
    },
    async check(signal) {
      return checkOf(outcomeOf(await getJson(url("ping"), { signal, fetch }), read), "BlueBubbles responds");
    },
  };
}

type ResponseBody = {
  status?: unknown;
  message?: unknown;
  error?: { message?: unknown } | null;
  data?: { error?: unknown } | null;
};

function readResponse({ status: httpStatus, json }: Responded, password: string): SendOutcome | null {
  const body = (json ?? {}) as ResponseBody;
  // The status in the body counts, because a proxy may have changed the HTTP status.
  const status = typeof body.status === "number" ? body.status : httpStatus;
  if (typeof body.status === "number" && status < 300) return { kind: "sent" };
  const words = body.error?.message ?? body.message;
  const text = typeof words === "string" ? withoutPassword(words, password) : `status ${status}`;
  if (status === 401 || status === 403)
    return rejected("BlueBubbles does not accept the password: check channels.imessage.password");
  if (status === 400 && /already queued/i.test(text))
    return unknown("BlueBubbles is still sending it from the attempt before");
  if (status >= 400 && status < 500 && status !== 408 && status !== 429)
    return rejected(`BlueBubbles refused it: ${text}`);
  const code = body.data?.error;
  if (status >= 500 && code === notOnImessage)
    return rejected("the recipient cannot be reached with iMessage");
  if (status >= 500 && body.error) return unknown(`Messages had trouble with it: ${text}`);
  return null;
}

/** Hides the password, as written and as encoded in a URL. */
const withoutPassword = (words: string, password: string): string =>
  quoted(quoted(words, password), inQuery(password));

const inQuery = (password: string): string => encodeURIComponent(password.toWellFormed());

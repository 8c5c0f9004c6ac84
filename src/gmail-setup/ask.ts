// One call of the setup to Google. A refusal holds Google's explanation, and nothing of the request.
import type { Clock } from "../core/clock.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import { TooLarge } from "../core/response-body.ts";
import { MailFault } from "../mail/mailbox.ts";
import {
  type GoogleResponse,
  type Fields,
  fieldsIn,
  listIn,
  request,
  textIn,
} from "../mail/gmail/request.ts";

export type Call = { method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; url: string; body?: object };

/** Throws a GoogleRefusal unless the response has a 2xx status. */
export type Ask = (call: Call) => Promise<Fields>;

export class GoogleRefusal extends Error {
  override name = "GoogleRefusal";
  /** 0 when no response came. */
  readonly status: number;
  /** Google's codes: `SERVICE_DISABLED`, `invalid_grant`. */
  readonly reasons: readonly string[];
  readonly url: string;
  /** Where to turn on the API, when it is off. */
  readonly link: string | null;
  constructor(url: string, message: string, { status, reasons, link }: Refused) {
    super(message);
    this.url = url;
    this.status = status;
    this.reasons = reasons;
    this.link = link;
  }
  has(...reasons: readonly string[]): boolean {
    return reasons.some((reason) => this.reasons.includes(reason));
  }
}

type Refused = Pick<GoogleResponse, "status" | "reasons"> & { link: string | null };

export const createAsk =
  (accessToken: string, clock: Clock): Ask =>
  ({ method, url, body }) =>
    askGoogle(url, clock, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

export async function askGoogle(url: string, clock: Clock, init: RequestInit): Promise<Fields> {
  const response = await responseOf(url, clock, init);
  if (response.status >= 200 && response.status < 300) return response.body;
  throw new GoogleRefusal(url, messageIn(response.body), { ...response, link: linkIn(response.body) });
}

async function responseOf(url: string, clock: Clock, init: RequestInit): Promise<GoogleResponse> {
  try {
    return await request(url, init, { signal: new AbortController().signal, clock });
  } catch (fault) {
    if (!(fault instanceof MailFault || fault instanceof TooLarge)) throw fault;
    throw new GoogleRefusal(url, fault.message, { status: 0, reasons: [], link: null });
  }
}

const longest = 300;

function messageIn(body: Fields): string {
  const text = textIn(fieldsIn(body, "error"), "message") || textIn(body, "error_description");
  return cutWithMark(oneLine(text), longest);
}

/** Only links to Google's own console are shown: people will open them. */
function linkIn(body: Fields): string | null {
  const details = listIn(fieldsIn(body, "error"), "details");
  const links = details.flatMap((detail) => [
    textIn(fieldsIn(detail, "metadata"), "activationUrl"),
    ...listIn(detail, "links").map((each) => textIn(each, "url")),
  ]);
  return links.find((url) => /^https:\/\/console\.(?:developers|cloud)\.google\.com\//.test(url)) ?? null;
}

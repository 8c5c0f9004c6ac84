// Whether a failure that a program reports may pass: by its status, else by its words.

const lasting =
  /\b(40[0134]|invalid[ _]?(api|x-api|request|argument)|unauthori[sz]ed|authenticat|api key|auth method|log ?in|forbidden|billing|credit|insufficient_quota)/i;
const passing =
  /\b(408|409|425|429|5\d\d|rate[ _-]?limit|too many requests|usage limit|limit reached|overloaded|high demand|temporar|unavailable|time[ -]?d?[ -]?out|network|connection|disconnected|socket|econn\w+|etimedout|enotfound|eai_again|fetch failed|internal server)/i;

export function mayPass({ message, status }: { message: string; status: number | null }): boolean {
  if (status !== null)
    return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  return !lasting.test(message) && passing.test(message);
}

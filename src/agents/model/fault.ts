// A fault of a model server as a failure in words. The server's text is not repeated, because it may quote the key or
// the prompt. Only its error code is, where it is a plain word.
import { APICallError, InvalidResponseDataError, NoOutputGeneratedError } from "ai";
import { faultKind } from "../../core/errors.ts";
import { tooLargeIn } from "../../core/response-body.ts";
import { cutWithMark } from "../../core/text.ts";
import { failed, type Failed } from "../failure.ts";
import { retryAfterMs } from "./retry-after.ts";

export type ModelName = { provider: string; name: string };

export function faultOf(fault: unknown, model: ModelName): Failed {
  const tooLarge = tooLargeIn(fault);
  if (tooLarge !== null) return failed(`${server(model)} sent too much: ${tooLarge.message}`);
  if (APICallError.isInstance(fault)) return apiFault(fault, model);
  if (NoOutputGeneratedError.isInstance(fault))
    return failed(`${server(model)} ended without a response`, true);
  if (InvalidResponseDataError.isInstance(fault))
    return failed(`the response of ${server(model)} broke off`, true);
  if (isStreamFault(fault)) return streamFault(fault, model);
  return failed(`the model could not be called: ${faultKind(fault)}`, true);
}

const server = ({ provider }: ModelName): string => `the model server ${provider}`;

function apiFault(fault: APICallError, model: ModelName): Failed {
  const { statusCode, data, responseHeaders = {} } = fault;
  if (statusCode === undefined)
    return failed(`${server(model)} could not be reached${aside(causeCode(fault.cause))}`, true);
  if (statusCode < 400) return failed(`the response of ${server(model)} broke off`, true);
  const code = errorCode(data);
  const outOfCredit = code === "insufficient_quota";
  const says = outOfCredit ? "says that the account has no credit left" : statusWords(statusCode, model);
  const mayPass = isPassing(statusCode) && !outOfCredit;
  const waitMs = mayPass ? retryAfterMs(responseHeaders) : null;
  return {
    ...failed(`${server(model)} ${says}${aside(statusCode, code)}`, mayPass),
    ...(waitMs !== null && { retryAfterMs: waitMs }),
  };
}

const isPassing = (status: number): boolean =>
  status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;

const longestShownModel = 100;

function statusWords(status: number, { name }: ModelName): string {
  switch (status) {
    case 401:
      return "did not accept the key: see its apiKey";
    case 402:
      return "wants to be paid first";
    case 403:
      return "does not allow this key to do that";
    case 404:
      return `does not know the model ${cutWithMark(name, longestShownModel)}, or its baseUrl is wrong`;
    case 413:
      return "found the prompt too long";
    case 429:
      return "had too many requests";
    default:
      return status >= 500 ? "has a fault" : "refused the request";
  }
}

/** An error that some servers send in the middle of a stream. */
type StreamFault = { code?: unknown; type?: unknown; statusCode?: unknown };

const isStreamFault = (fault: unknown): fault is StreamFault =>
  typeof fault === "object" && fault !== null && !(fault instanceof Error);

function streamFault({ code, type, statusCode }: StreamFault, model: ModelName): Failed {
  const status = typeof statusCode === "number" ? statusCode : null;
  const refused =
    type === "invalid_request_error" || (status !== null && status >= 400 && !isPassing(status));
  return failed(
    `${server(model)} reported a fault in its response${aside(word(code) ?? word(type))}`,
    !refused,
  );
}

function errorCode(data: unknown): string | null {
  if (typeof data !== "object" || data === null || !("error" in data)) return null;
  const error = data.error as { code?: unknown; status?: unknown; type?: unknown } | null;
  return word(error?.code) ?? word(error?.status) ?? word(error?.type);
}

const word = (value: unknown): string | null =>
  typeof value === "string" && /^[a-z][a-z0-9_.-]{0,60}$/i.test(value) ? value : null;

/** The system's own code, however deep the libraries have wrapped it. */
function causeCode(cause: unknown): string | null {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if ("code" in at && typeof at.code === "string") return word(at.code);
  return null;
}

function aside(...words: (string | number | null)[]): string {
  const known = words.filter((each) => each !== null);
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

// A failure of the IMAP client as a MailFault. The client's messages may hold addresses and text of the server, so
// only codes of a known form are passed on.
import { MailFault } from "../mailbox.ts";
import { imapLimits } from "./limits.ts";

type ImapError = {
  code?: unknown;
  authenticationFailed?: unknown;
  responseStatus?: unknown;
  serverResponseCode?: unknown;
  responseText?: unknown;
  mailboxMissing?: unknown;
  tlsFailed?: unknown;
  throttleReset?: unknown;
};

/** The server cannot check the login now, or is overloaded: codes of RFC 5530, and texts that Gmail sends. */
const temporaryCodes = new Set(["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "OVERQUOTA"]);
const temporaryWords = /too many (?:simultaneous )?(?:connections|requests|login)|try again|temporar/i;

export function toFault(cause: unknown): MailFault {
  if (cause instanceof MailFault) return cause;
  const error = (typeof cause === "object" && cause !== null ? cause : {}) as ImapError;
  if (error.mailboxMissing === true)
    return new MailFault("broken", "the mailbox does not exist on the server");
  if (error.tlsFailed === true) return new MailFault("broken", "the server does not offer STARTTLS");
  if (error.responseStatus === "NO" || error.responseStatus === "BAD") return refused(error);
  if (isImpossible(error) || isUnsupported(cause)) {
    return new MailFault("broken", "the server offers no way to log in with what is configured");
  }
  return unreachable(error);
}

function refused(error: ImapError): MailFault {
  const code = codeOf(error.serverResponseCode);
  const saysTemporary = typeof error.responseText === "string" && temporaryWords.test(error.responseText);
  if (error.authenticationFailed === true && !temporaryCodes.has(code) && !saysTemporary) {
    return new MailFault("reauth", `the server refused the login${bracket(code)}`);
  }
  const waitMs = typeof error.throttleReset === "number" ? error.throttleReset : null;
  return new MailFault("retry", `the server refused a command${bracket(code)}`, waitMs);
}

/** The client knew no way to log in. (A connection lost during the login has a code.) */
const isImpossible = ({ authenticationFailed, code }: ImapError): boolean =>
  authenticationFailed === true && code === undefined;

const isUnsupported = (cause: unknown): boolean =>
  cause instanceof Error && cause.message === "Unsupported authentication mechanism";

/** The client's own limits, by its codes. */
const tooLarge: Readonly<Record<string, string>> = {
  LineTooLarge: `a line of more than ${imapLimits.maxLineLength} bytes`,
  LiteralTooLarge: `a literal of more than ${imapLimits.maxLiteralSize} bytes`,
  ResponseTooLarge: `a response of more than ${imapLimits.maxResponseSize} bytes`,
};

function unreachable({ code }: ImapError): MailFault {
  const size = Object.hasOwn(tooLarge, codeOf(code)) ? tooLarge[codeOf(code)] : undefined;
  if (size !== undefined) return new MailFault("retry", `the server sent ${size}`);
  const known = codeOf(code);
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(known);
  const what = isCertificate ? "the server's certificate is not trusted" : "the server could not be reached";
  return new MailFault("retry", what + bracket(known));
}

const codeOf = (code: unknown): string =>
  typeof code === "string" && /^[A-Za-z0-9_-]{1,60}$/.test(code) ? code : "";

const bracket = (code: string): string => (code === "" ? "" : ` (${code})`);

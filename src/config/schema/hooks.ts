// `hooks`: the webhook endpoint, its token, and what requests may ask for.
import { z } from "zod";
import { resultAccesses } from "../../core/action.ts";
import { sessionKeyFault } from "../../core/session-key.ts";
import { withoutEndSlash } from "../../core/text.ts";
import { duration, seconds, text, wholeNumber } from "./field.ts";
import { callbacks } from "./callbacks.ts";
import { gmail } from "./gmail.ts";
import { mail } from "./mail.ts";
import { mapping, toolGrant } from "./mapping.ts";
import { senders } from "./senders.ts";
import { namedTokens, tokenOrList } from "./tokens.ts";

/** The files of `config/presets/`. */
export const presetNames = ["gmail"] as const;
export const defaultHooksPath = "/hooks";
const takenPaths = [
  { path: "/healthz", by: "serves health checks" },
  { path: "/readyz", by: "serves health checks" },
  { path: "/api/v1", by: "is the admin API" },
];
const pathCharacters = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/]+$/;

/** What is wrong with a path that begins with a slash and does not end in one; null when it is good. */
function pathFault(path: string): string | null {
  if (path === "") return 'must not be "/": give hooks a path of their own, such as "/hooks"';
  if (!pathCharacters.test(path)) return "must consist of letters, digits, slashes and -._~!$&'()*+,;=:@";
  if (path.includes("//")) return "must not have two slashes in a row";
  if (path.split("/").some((segment) => segment === "." || segment === "..")) return "must not have . or .. in it";
  const taken = takenPaths.find((each) => path === each.path || path.startsWith(`${each.path}/`));
  return taken ? `must not be ${taken.path}, which ${taken.by}` : null;
}

const hooksPath = z.string().transform((written, context) => {
  const trimmed = written.trim();
  if (trimmed === "") return defaultHooksPath;
  const path = withoutEndSlash(trimmed.startsWith("/") ? trimmed : `/${trimmed}`);
  const fault = pathFault(path);
  if (fault === null) return path;
  context.issues.push({ code: "custom", message: fault, input: written });
  return z.NEVER;
});

const sessionKeyPrefix = z.string().superRefine((written, context) => {
  const fault = written === "" ? "must not be blank" : sessionKeyFault(written);
  if (fault) context.addIssue(fault);
});

const token = "The shared secret that opens every hook but senders'. Required when hooks are enabled.";

export const hooks = z.strictObject({
  enabled: z.boolean().default(false).describe("Turns the endpoint on. While it is off, every hook responds with 404."),
  token: tokenOrList(`${token} A list while one is being rotated: each of them counts.`).optional(),
  tokens: namedTokens,
  path: hooksPath
    .prefault(defaultHooksPath)
    .describe("The path prefix of every hook. Gets a leading slash and loses trailing ones."),
  allowedAgentIds: z
    .array(text().toLowerCase())
    .describe("Agents that may be asked for by id. Left out, or with `*` in it: any. Empty: none.")
    .optional(),
  defaultSessionKey: z
    .string()
    .trim()
    .describe("The session key of runs without one. Left out: a fresh one, `hook:` and the run's id.")
    .optional(),
  allowRequestSessionKey: z.boolean().default(false).describe("Whether a request may set `sessionKey`."),
  allowedSessionKeyPrefixes: z
    .array(sessionKeyPrefix)
    .default([])
    .describe("What explicit session keys must start with, compared exactly. Empty: no restriction."),
  senders,
  presets: z
    .array(z.enum(presetNames))
    .default([])
    .describe("Built-in mappings to turn on. They come after the mappings."),
  mappings: z
    .array(mapping)
    .default([])
    .describe("Hooks of your own, in order: the first that matches a request takes it."),
  transformsDir: text()
    .default("transforms")
    .describe("The folder of transform modules; nothing outside it is loaded."),
  transformTimeoutSeconds: seconds(600)
    .default(5)
    .describe("How long a transform may take for one request; longer is 500."),
  tools: toolGrant
    .default([])
    .describe('Tools a hook\'s run gets beyond reading, by name, never more than its agent has; "agent": all of them.'),
  results: z
    .enum(resultAccesses)
    .default("none")
    .describe(
      "What callers may read of the runs that they started ([results](results.md)): nothing, all but the text, or all of it. A token and a mapping can say it for theirs. Never for senders.",
    ),
  maxWaiting: wholeNumber(0, 100_000)
    .default(500)
    .describe(
      "Callers that may wait for results on a node at the same time, each of its runs counted, and as many that may stream them. More get their answer at once.",
    ),
  deliverFailures: z
    .boolean()
    .default(true)
    .describe("Whether a run that fails or times out tells, in one line, the recipient of its reply."),
  callbacks,
  budget: z
    .strictObject({
      runsPerDay: wholeNumber(0, 1_000_000_000)
        .default(1000)
        .describe("Runs a hook may cause in a day; those of `echo` agents do not count."),
      tokensPerDay: wholeNumber(0, 1_000_000_000_000)
        .default(5_000_000)
        .describe("Tokens a hook's runs may use in a day."),
      moneyPerDay: z
        .number()
        .min(0)
        .max(1_000_000_000_000)
        .describe("What a hook's runs may cost in a day, by `models.prices`. Left out: no limit.")
        .optional(),
    })
    .prefault({})
    .describe("Limits for each hook and day (UTC). Over a limit, runs are parked, not dropped."),
  gmail: gmail.optional(),
  mail,
  maxBodyBytes: wholeNumber(1, 67_108_864).default(262_144).describe("The largest body; a larger one is 413."),
  bodyTimeoutSeconds: seconds(3600).default(30).describe("How long a body may take to arrive; longer is 408."),
  maxQueued: wholeNumber(1, 100_000_000)
    .default(100_000)
    .describe("Runs that may wait; while more do, new requests are 503."),
  maxWaitingEvents: wholeNumber(1, 100_000_000)
    .default(100_000)
    .describe("Events that may wait for a heartbeat, summaries included; while more do, new wakes are 503."),
  maxWaitingBytes: wholeNumber(1024, 1_099_511_627_776)
    .default(268_435_456)
    .describe("How large the waiting events may be together; while they are larger, new wakes are 503."),
  keepRequests: duration({ least: "1m", most: "3650d", offAllowed: true })
    .prefault("7d")
    .describe(
      "How long requests are kept, with their bodies, and never longer than `store.retention`. 0: none that was accepted, and no body; what led to nothing keeps its line for a week.",
    ),
  keepRequestBytes: wholeNumber(0, 67_108_864)
    .default(65_536)
    .describe("The largest body that is kept; of a request with a larger one, all but the body is."),
  authFailures: z
    .strictObject({
      max: wholeNumber(1, 1_000_000)
        .default(20)
        .describe("Wrong tokens from one address within the window before further ones are 429."),
      windowSeconds: seconds(86_400).default(60).describe("The length of that window."),
    })
    .prefault({})
    .describe("The limit on wrong tokens."),
});

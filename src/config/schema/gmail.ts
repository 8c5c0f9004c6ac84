// `hooks.gmail`: the Gmail account. Settings have the names of the format that others write, so that such a config can
// be used as it is; settings without an effect here are accepted with a warning.
import { z } from "zod";
import { secret, seconds, text, wholeNumber } from "./field.ts";
import { mailBodyBytes, mailCatchUp } from "./mail.ts";

export const gmailModes = ["poll", "pull", "push"] as const;
export const defaultPushPath = "/gmail-pubsub";

const address = text().regex(/^[^\s@]+@[^\s@]+$/, "must be a mail address");
const url = text().regex(/^https?:\/\/[^\s?#]+$/, "must be an http or https address");
const topic = text().regex(/^projects\/[^/\s]+\/topics\/[^/\s]+$/, "must be projects/PROJECT/topics/NAME");
const subscription = text().regex(
  /^(?:projects\/[^/\s]+\/subscriptions\/)?[^/\s]+$/,
  "must be a name, or projects/PROJECT/subscriptions/NAME",
);

const pathCharacters = /^(?:\/[A-Za-z0-9\-._~]+)+$/;
const pushPath = text().refine(
  (path) => pathCharacters.test(path) && !path.split("/").some((part) => part === "." || part === ".."),
  "must begin with a slash and consist of letters, digits, slashes and -._~, without a slash at its end",
);

const notUsed = (what: string) => `Not used here: ${what}`;

export const gmail = z
  .strictObject({
    account: address.describe("The mail address whose mail is read; without it none is.").optional(),
    label: text().default("INBOX").describe("Only mail under this label, by its id or name."),
    excludeLabels: z
      .array(text())
      .default(["SPAM", "TRASH", "DRAFT", "SENT"])
      .describe("Mail under one of these is left out."),
    mode: z
      .enum(gmailModes)
      .default("poll")
      .describe("How Rouse learns of new mail: polling, Pub/Sub pull (needs no public address), or Pub/Sub push."),
    credentialsFile: text()
      .default("gmail-credentials.json")
      .describe("The login, as `rouse gmail setup` writes it, or the key of a service account."),
    pollSeconds: seconds(86_400, 1)
      .default(30)
      .describe("With `poll`: how often to ask. With the others it is every five minutes, beside the hints."),
    topic: topic.describe("The Pub/Sub topic, `projects/PROJECT/topics/NAME`. Needed for `pull` and `push`.").optional(),
    subscription: subscription
      .default("gog-gmail-watch-push")
      .describe("The topic's subscription; a name alone is in the topic's project."),
    oidc: z
      .strictObject({
        audience: text().describe("The audience of the tokens that Pub/Sub sends."),
        serviceAccountEmail: address.describe("The service account that Pub/Sub signs as."),
      })
      .describe("How pushes prove where they come from. Needed for `push`.")
      .optional(),
    pushPath: pushPath
      .default(defaultPushPath)
      .describe("The path at which pushes arrive. Exists only with `push`, and takes no hook token."),
    includeBody: z.boolean().default(true).describe("Whether the text of a mail is in the payload, beside its snippet."),
    maxBytes: mailBodyBytes(),
    renewEveryMinutes: wholeNumber(1, 10_080)
      .default(720)
      .describe("With `pull` and `push`: how often Gmail is asked again for its hints, which end after seven days."),
    catchUp: mailCatchUp(),
    model: text().describe("The model of the runs of the `gmail` preset.").optional(),
    thinking: text().describe("Their thinking level.").optional(),
    allowUnsafeExternalContent: z
      .boolean()
      .default(false)
      .describe("Lifts the safety boundary from the preset's prompt."),
    endpoints: z
      .strictObject({
        oauth: url.describe("Instead of `https://oauth2.googleapis.com`.").optional(),
        gmail: url.describe("Instead of `https://gmail.googleapis.com`.").optional(),
        pubsub: url.describe("Instead of `https://pubsub.googleapis.com`.").optional(),
        certs: url.describe("Instead of `https://www.googleapis.com`, for the keys of push tokens.").optional(),
      })
      .prefault({})
      .describe("Other servers than Google's, for tests and proxies."),
    pushToken: secret(notUsed("pushes are verified by their OIDC token.")).optional(),
    hookUrl: text().describe(notUsed("mail goes to the hook `gmail` inside the gateway.")).optional(),
    serve: z.looseObject({}).describe(notUsed("pushes arrive at `pushPath` of the gateway.")).optional(),
    tailscale: z.looseObject({}).describe(notUsed("put any HTTPS proxy in front of `pushPath`.")).optional(),
  })
  .describe("The Gmail watch: new mail goes to the hook `gmail`, and the preset of that name is on.");

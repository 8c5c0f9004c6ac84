// `hooks.callbacks`: where results of runs are sent.
import { z } from "zod";
import { callbackFormats } from "../../core/callback.ts";
import { secret } from "./field.ts";
import { checkKeys } from "./hook-name.ts";
import { webAddress } from "./models.ts";
import { tokenNameFault } from "./tokens.ts";

const callback = z.strictObject({
  format: z
    .enum(callbackFormats)
    .default("standard")
    .describe(
      "`standard`: a request with the result, signed by Standard Webhooks. The others answer where the event came from: `slack-response`, `github-comment`, `gitlab-comment`.",
    ),
  url: webAddress
    .describe("The address that gets the result. For comments: of the API, where it is not the public one.")
    .optional(),
  secret: secret("What a `standard` callback is signed with: `whsec_…`, or any text.").optional(),
  token: secret("The token that a comment is written with.").optional(),
  body: z
    .enum(["full", "thin"])
    .default("full")
    .describe("`thin`: only the run's id and status. For `standard`."),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe("Whether its host may be in a private network, and be asked without TLS."),
});

export const callbacks = z
  .record(z.string(), callback)
  .superRefine(checkKeys(tokenNameFault))
  .default({})
  .describe("Where results of runs are sent, by a name that mappings, tokens and requests give.");

export type CallbackSettings = z.output<typeof callback>;

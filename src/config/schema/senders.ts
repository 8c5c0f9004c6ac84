// `hooks.senders`: who may call a hook by a proof of its own, in place of the token.
import { z } from "zod";
import { fileReference, seconds, text, wholeNumber } from "./field.ts";
import { checkKeys, hookNameFault } from "./hook-name.ts";
import { webAddress } from "./models.ts";

const listed = (what: string) =>
  z
    .union([z.string(), fileReference], { error: 'must be text, or { "file": … }' })
    .transform((written) => (typeof written === "string" ? written : ""))
    .refine((written) => written.trim() !== "", "must not be blank")
    .meta({ description: `One of the ${what} that count.`, writeOnly: true });

/** Text, a file, or a list of these. */
const secrets = (what: string, description: string) =>
  z
    .union([z.string(), fileReference, z.array(listed(what)).min(1)], {
      error: 'must be text, { "file": … }, or a list of these',
    })
    .transform((written): string[] =>
      Array.isArray(written) ? written : [typeof written === "string" ? written : ""],
    )
    .meta({ description, writeOnly: true });

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header")
  .toLowerCase();

const fieldPath = text().describe("A field of the JSON body, such as `data.id`.");

const place = z
  .union(
    [
      z.strictObject({
        header: headerName.describe("The header."),
        prefix: z.string().describe("What stands before the value, such as `sha256=`.").optional(),
        list: z
          .strictObject({
            split: z.string().min(1).describe("What separates the items, such as `,`."),
            by: z.string().min(1).describe("What separates an item's tag from its value, such as `=`."),
            tag: z.string().min(1).describe("The tag of the items to take, such as `v1`."),
          })
          .describe("The value is a list of tagged items, such as `t=1,v1=ab`.")
          .optional(),
      }),
      z.strictObject({ json: fieldPath }),
      z.strictObject({ form: text().describe("A field of the form.") }),
      z.strictObject({ query: text().describe("A parameter of the query.") }),
    ],
    { error: 'must be { "header": … }, { "json": … }, { "form": … } or { "query": … }' },
  )
  .describe("Where the value stands.");

export const customProofs = ["hmac", "public-key", "equal"] as const;

const custom = z.strictObject({
  proof: z
    .enum(customProofs)
    .default("hmac")
    .describe("`hmac` with a shared secret, `public-key`, or `equal`: the secret itself is sent."),
  signature: place.describe("Where the signature, or the secret itself, stands."),
  algorithm: z
    .enum(["sha1", "sha256", "sha512", "ed25519", "ecdsa-sha256", "rsa-sha256"])
    .default("sha256")
    .describe("The hash of an `hmac`, or the kind of signature of a `public-key`."),
  encoding: z.enum(["hex", "base64", "base64url"]).default("hex").describe("How the signature is written."),
  key: z
    .enum(["text", "base64", "whsec", "hex"])
    .default("text")
    .describe("How the secret becomes the key: its own bytes, or decoded."),
  signed: text()
    .default("{body}")
    .describe(
      "What is signed: text with `{body}`, `{time}`, `{id}`, `{method}`, `{url}`, `{header:NAME}`, `{query:NAME}`.",
    ),
  time: z
    .strictObject({
      at: place,
      unit: z.enum(["s", "ms", "iso"]).default("s").describe("Seconds, milliseconds, or ISO 8601."),
    })
    .describe("The sender's time. Requests beyond `toleranceSeconds` (300) are refused.")
    .optional(),
  delivery: place.describe("The id of the delivery, the same when the sender tries again.").optional(),
  event: place.describe("The kind of event, for `match.event`.").optional(),
  equalBodies: z
    .boolean()
    .default(false)
    .describe("The sender honestly sends equal bodies. Otherwise a repeated one leads to nothing new."),
});

const senderFields = {
  kind: text().describe("A kind of `docs/senders.md`: `github`, `stripe`, `slack`, …, `custom`, `token`, `basic`."),
  secret: secrets("secrets", "The secret that the sender signs with. A list while it is rotated.").optional(),
  publicKey: secrets("public keys", "The sender's public key, where it signs with a private one.").optional(),
  publicUrl: webAddress
    .refine((written) => !written.includes("?"), "must not have a query: the request's own is added")
    .describe("The address that the sender calls, as it is entered there. Where the address is signed.")
    .optional(),
  verifyToken: listed("tokens").describe("A word of ours that the sender repeats when it asks for consent.").optional(),
  origins: z.array(text()).describe("The origins that may ask for consent by OPTIONS.").optional(),
  topicArns: z.array(text()).describe("The topics whose messages are taken.").optional(),
  audience: text().describe("The audience that the sender's token must be for.").optional(),
  serviceAccountEmail: text().describe("The service account that the sender's token must be of.").optional(),
  webhookId: text().describe("The id of the webhook, where it is signed.").optional(),
  header: headerName.describe("The header that carries the secret, for `token`.").optional(),
  custom: custom.describe("How a sender of the kind `custom` proves itself.").optional(),
  toleranceSeconds: seconds(86_400, 1)
    .describe("How far the sender's time may be from ours. Left out: as its kind says.")
    .optional(),
  maxBodyBytes: wholeNumber(1, 67_108_864).default(1_048_576).describe("The largest body; a larger one is 413."),
};

const sender = z.strictObject(senderFields);

export const senders = z
  .record(z.string(), sender)
  .superRefine(checkKeys(hookNameFault))
  .default({})
  .describe("Senders that sign their requests, by the name of the hook that each of them calls.");

export type SenderSettings = z.output<typeof sender>;
export type CustomSettings = z.output<typeof custom>;

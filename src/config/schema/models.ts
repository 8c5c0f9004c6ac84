// `models` and `mcp`: model providers and MCP servers.
import { z } from "zod";
import { providerKinds } from "../config.ts";
import { argument, secret, text, variables, wholeNumber } from "./field.ts";

const providerName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, - or _: it stands before the slash of a model id");

export const webAddress = text().refine(
  (written) => URL.canParse(written) && /^https?:\/\//i.test(written),
  "must be an address such as http://127.0.0.1:11434/v1",
);

const provider = z.strictObject({
  kind: z.enum(providerKinds).describe("The language it speaks; most local servers are `openai-compatible`."),
  baseUrl: webAddress.describe("Its address. Required for `openai-compatible`; otherwise the provider's own by default.").optional(),
  apiKey: secret("Its key, where it needs one.").optional(),
});

const modelId = text().regex(/^[^\s/]+\/\S+$/, "must be provider/model");

/** Far more than any model costs; a sum over a day stays a number. */
const price = () => z.number().min(0).max(1_000_000);

export const models = z.strictObject({
  providers: z
    .record(providerName, provider)
    .default({})
    .describe("Model servers by name. A model id is `NAME/model`."),
  prices: z
    .record(
      modelId,
      z.strictObject({
        input: price().describe("For a million tokens in."),
        output: price().describe("For a million tokens out."),
      }),
    )
    .default({})
    .describe("What models cost, for `hooks.budget.moneyPerDay`."),
  contextTokens: z
    .record(modelId, wholeNumber(1000, 100_000_000))
    .default({})
    .describe("How many tokens a model can take at once. Others: 128000."),
});

const server = z.union(
  [
    z.strictObject({
      url: webAddress.describe("The address of a server that is asked over HTTP. Either this or `command`."),
      headers: z.record(text(), secret("A header's value.")).default({}).describe("Headers it wants."),
    }),
    z.strictObject({
      command: text().describe("The program of a server that is started for each run. Either this or `url`."),
      args: z.array(argument).default([]).describe("Its arguments."),
      env: variables
        .prefault([])
        .describe("Environment variables it may see: names to pass on, or an object of names and values, each a secret."),
    }),
  ],
  { error: 'must have either "url" or "command"' },
);

export const mcp = z.strictObject({
  servers: z
    .record(providerName, server)
    .default({})
    .describe("MCP servers by name; an agent gets one's tools as `mcp:NAME`."),
});

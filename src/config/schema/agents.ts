// `agents`: who answers, with what, how many at once. What an agent lacks comes from `defaults`.
import { z } from "zod";
import { duration, seconds, text, wholeNumber } from "./field.ts";

export const defaultOutputLimitBytes = 1_048_576;

const modelId = text().regex(/^\S+$/, "must not have spaces in it").max(200);
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
const argument = z.string().refine((written) => !written.includes("\0"), "must not have a zero character in it");

const fields = {
  kind: z
    .enum(["echo", "command"])
    .describe("`echo` answers with the message it got, to try things out; `command` runs a program. Default `echo`.")
    .optional(),
  workspace: text()
    .describe("The agent's folder, relative to this config. Default `workspaces/ID`.")
    .optional(),
  instructions: text().describe("What the agent is told before anything else.").optional(),
  model: modelId.describe("The model, where a request names none.").optional(),
  thinking: text()
    .regex(/^\S+$/, "must be one word")
    .max(32)
    .describe("The thinking level, where a request names none: a word such as `low`, `medium`, `high`.")
    .optional(),
  tools: z.array(text()).describe("Tools the agent may use. Not used by this version yet.").optional(),
  command: text()
    .describe(
      "The program of a `command` agent: a name found on the `PATH`, or a path, relative to this config.",
    )
    .optional(),
  args: z.array(argument).describe("The program's arguments.").optional(),
  env: z
    .array(variableName)
    .describe("Environment variables the program may see beyond the built-in few.")
    .optional(),
  outputLimitBytes: wholeNumber(1, 67_108_864)
    .describe(`The most output that is kept of a program. Default \`${defaultOutputLimitBytes}\`.`)
    .optional(),
};

const agent = z.strictObject({
  id: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, - or _")
    .describe("The agent's id, compared in lower case."),
  default: z
    .boolean()
    .describe("Runs what names no agent, or an unknown one. Without any, the first in the list does.")
    .optional(),
  ...fields,
});

const models = z.record(
  modelId,
  z.strictObject({
    alias: modelId.describe("A short name for the model.").optional(),
  }),
);

export const agents = z.strictObject({
  list: z.array(agent).default([]).describe("The agents. None listed: one, `main`."),
  defaults: z
    .strictObject({
      ...fields,
      models: models
        .describe(
          "The models a request may ask for, by id or alias. Left out: any. Present: only these (`{}`: none).",
        )
        .optional(),
      heartbeat: z
        .strictObject({
          every: duration({ least: "1s", most: "24d", offAllowed: true })
            .prefault("30m")
            .describe("How often the main session looks around by itself. `0` turns it off."),
        })
        .prefault({})
        .describe("The main session's periodic turn."),
      timeoutSeconds: seconds(604_800)
        .default(600)
        .describe("The longest a run may take, over all its attempts, where a request does not say."),
    })
    .prefault({})
    .describe("What agents in the list lack: any of their settings but `id` and `default`, and these."),
  maxConcurrent: wholeNumber(1, 1000)
    .default(4)
    .describe("Runs at the same time on one node. The main session has a place of its own on top."),
  maxAttempts: wholeNumber(1, 100)
    .default(3)
    .describe("How often a run is tried when its failure may pass."),
});

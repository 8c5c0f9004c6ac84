// `agents`: the agents and their limits. What an agent does not set comes from `defaults`.
import { z } from "zod";
import { longestRunSeconds } from "../../core/run.ts";
import { isToolName } from "../../core/tool.ts";
import { commandInputs, commandPresets, permissionKinds } from "../config.ts";
import { fallback } from "./channels.ts";
import { argument, duration, secret, seconds, text, variables, wholeNumber } from "./field.ts";
import { webAddress } from "./models.ts";

export const defaultOutputLimitBytes = 1_048_576;

const modelId = text().regex(/^\S+$/, "must not have spaces in it").max(200);

export const defaultMaxSteps = 20;

export const toolName = text().refine(
  isToolName,
  "must be read, list, search, write, fetch, or mcp: and the name of a server",
);

const fields = {
  kind: z
    .enum(["echo", "model", "command", "acp", "http"])
    .describe(
      "`model` asks a model, `command` runs a program, `acp` drives a coding agent, `http` calls your own service; `echo` replies with its prompt, to try things out. Default `echo`.",
    )
    .optional(),
  workspace: text()
    .describe("The agent's folder, relative to this config. Default `workspaces/ID`.")
    .optional(),
  instructions: z
    .union([text(), z.strictObject({ file: text().describe("A file in the workspace, read at each turn.") })], {
      error: 'must be text, or { "file": … } in the workspace',
    })
    .describe("The instructions at the start of every prompt.")
    .optional(),
  model: modelId.describe("The model, where a request names none.").optional(),
  thinking: text()
    .regex(/^\S+$/, "must be one word")
    .max(32)
    .describe("The thinking level, where a request names none: a word such as `low`, `medium`, `high`.")
    .optional(),
  tools: z
    .array(toolName)
    .describe(
      "Tools a `model` agent may use: `read`, `list`, `search`, `write`, `fetch`, `mcp:NAME`. A hook's run gets fewer (`hooks.tools`). Default: to read, list and search.",
    )
    .optional(),
  fallback: fallback.optional(),
  maxSteps: wholeNumber(1, 1000)
    .describe(`How often a \`model\` agent may ask its model in one turn, the request for its reply included. Default \`${defaultMaxSteps}\`.`)
    .optional(),
  fetchHosts: z
    .array(
      text()
        .toLowerCase()
        .regex(
          /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/,
          "must be a host such as api.example.com, *.example.com or api.example.com:8443",
        ),
    )
    .describe("Hosts the `fetch` tool may ask; `*.example.com` stands for all below it. Default: none.")
    .optional(),
  preset: z
    .enum(commandPresets)
    .describe("A `command` agent that is one of these programs: its options and output are known.")
    .optional(),
  command: text()
    .describe(
      "The program of a `command` or `acp` agent: a name found on the `PATH`, or a path, relative to this config.",
    )
    .optional(),
  args: z.array(argument).describe("The program's arguments.").optional(),
  env: variables
    .describe(
      "Environment variables the program may see beyond the built-in few: names to pass on, or an object of names and values, each a secret.",
    )
    .optional(),
  input: z
    .enum(commandInputs)
    .describe(
      "What a `command` agent without a preset gets on standard input: the prompt, or the JSON that an `http` agent gets. Default `prompt`.",
    )
    .optional(),
  allow: z
    .array(z.enum(permissionKinds))
    .describe("What an `acp` agent may do without asking anyone. Default: nothing that needs permission.")
    .optional(),
  url: webAddress.describe("The address of an `http` agent.").optional(),
  secret: secret("Signs requests to an `http` agent, so that it can verify the sender.").optional(),
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
            .describe("How often the main session gets a heartbeat. `0` turns it off."),
        })
        .prefault({})
        .describe("The main session's periodic turn."),
      timeoutSeconds: seconds(longestRunSeconds)
        .default(600)
        .describe("The longest a run may take, over all its attempts, where a request does not say."),
    })
    .prefault({})
    .describe("What agents in the list lack: any of their settings but `id` and `default`, and these."),
  unknown: z
    .enum(["default", "refuse"])
    .default("default")
    .describe(
      "What becomes of a request, mapping or transform that names an agent which is not in the list: the default agent runs it, or it is refused with 400 `agent-unknown`. With `refuse`, a mapping that names one is a problem of the config.",
    ),
  maxConcurrent: wholeNumber(1, 1000)
    .default(4)
    .describe("Runs at the same time on one node. The main session has a slot of its own in addition."),
  maxAttempts: wholeNumber(1, 100)
    .default(6)
    .describe(
      "How often a run is tried when its failure may pass. The waits grow: six attempts take about five minutes.",
    ),
  keepToolCalls: z
    .boolean()
    .default(false)
    .describe(
      "Whether what a tool was called with and what it returned is kept with the attempt, up to 4,096 characters each. Name, time and success of a call are always kept, of the first 200 in an attempt.",
    ),
});

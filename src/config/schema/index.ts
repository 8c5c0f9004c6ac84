// The whole schema of the config file; each section has a file beside this one.
import { z } from "zod";
import { agents } from "./agents.ts";
import { channels } from "./channels.ts";
import { gateway } from "./gateway.ts";
import { hooks } from "./hooks.ts";
import { log } from "./log.ts";
import { mcp, models } from "./models.ts";
import { store } from "./store.ts";

export const settingsSchema = z.strictObject({
  $schema: z.string().describe("For editors; ignored.").optional(),
  gateway: gateway.prefault({}).describe("Where the service listens, whom it trusts, how it stops."),
  hooks: hooks.prefault({}).describe("The webhook endpoint, its token, and what requests may ask for."),
  agents: agents.prefault({}).describe("The agents, their settings, and how many runs at once."),
  models: models.prefault({}).describe("Where models are found, and what they cost."),
  mcp: mcp.prefault({}).describe("Servers of tools for agents."),
  channels: channels.prefault({}).describe("Where replies are sent."),
  store: store.prefault({}).describe("Where everything durable is kept."),
  log: log.prefault({}).describe("The level and the format of the log."),
});

/** The file's content, checked field by field, with every default filled in. */
export type Settings = z.output<typeof settingsSchema>;

// `log`: the level and format of the log.
import { z } from "zod";

export const log = z.strictObject({
  level: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("The least important messages that are still written."),
  format: z
    .enum(["auto", "json", "pretty"])
    .default("auto")
    .describe("`pretty` for people, `json` for machines, `auto`: pretty on a terminal."),
});

// `store`: where everything durable is kept.
import { z } from "zod";
import { duration, secret, seconds, text } from "./field.ts";

export const store = z.strictObject({
  url: secret("A PostgreSQL address, `postgres://…`. Left out: the embedded SQLite in `store.path`.")
    .refine((written) => /^postgres(ql)?:\/\/\S+$/i.test(written), "must begin with postgres:// or postgresql://")
    .optional(),
  path: text().default("rouse.db").describe("The SQLite file, relative to this config."),
  retention: duration({ least: "1m", most: "3650d" })
    .prefault("30d")
    .describe("How long finished work is kept."),
  leaseSeconds: seconds(3600, 1)
    .default(15)
    .describe("How long a worker's lease lasts unless it is renewed; after that, another node takes over the work of a dead one."),
});

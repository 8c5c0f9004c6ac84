// What operators did.
import { z } from "zod";
import { auditResource } from "../resources.ts";
import { auditEntry } from "../shapes/stored.ts";
import { list, windowOf } from "./list.ts";
import { several, window } from "./parameters.ts";

export const auditRoute = list({
  id: "listAudit",
  path: "/audit",
  summary: "What operators did through the API, the console and commands, newest first.",
  filters: {
    actor: several("Who."),
    verb: several("What, such as `run.cancel`."),
    outcome: z.array(z.enum(["done", "refused", "failed"])).optional(),
    ...window,
  },
  item: auditEntry,
  search: async ({ actor, verb, outcome, ...rest }, page, deps) =>
    deps.store.searchAudit({
      ...page,
      ...(await windowOf(rest, deps)),
      ...(actor && { actors: actor }),
      ...(verb && { verbs: verb }),
      ...(outcome && { outcomes: outcome }),
    }),
  toResource: auditResource,
});

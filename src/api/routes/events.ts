// Notes for the main session.
import { z } from "zod";
import { isRefusal, type Refusal } from "../../core/errors.ts";
import { cancelEvent, retryEvent } from "../actions/events.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { eventResource } from "../resources.ts";
import { event } from "../shapes/stored.ts";
import { replyOf } from "./reply.ts";
import { found, list, windowOf } from "./list.ts";
import { byId, idPrefix, several, window } from "./parameters.ts";

const eventList = list({
  id: "listEvents",
  path: "/events",
  summary: "Notes for the main session, newest first.",
  filters: {
    hook: several("The hook that it came from."),
    status: z.array(z.enum(["waiting", "shown"])).optional(),
    id: idPrefix,
    ...window,
  },
  item: event,
  search: async ({ hook, status, id, ...rest }, position, deps) =>
    deps.store.searchEvents({
      ...position,
      ...(await windowOf(rest, deps)),
      ...(hook && { hooks: hook }),
      ...(status && { statuses: status }),
      ...(id !== undefined && { id }),
    }),
  toResource: eventResource,
});

const oneEvent = route({
  id: "getEvent",
  method: "GET",
  path: "/events/{id}",
  summary: "One note.",
  params: byId,
  answer: { status: 200, json: event },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(await deps.store.findEvent(params.id), "event", params.id);
    return isRefusal(item) ? item : ok(eventResource(item));
  },
});

const verb = (name: "retry" | "cancel", summary: string, action: typeof retryEvent): Route =>
  route({
    id: `${name}Event`,
    method: "POST",
    path: `/events/{id}/${name}`,
    summary,
    params: byId,
    body: z.strictObject({}),
    bodyOptional: true,
    audited: { verb: `event.${name}`, subject: ({ id }) => id },
    answer: {
      status: 200,
      json: z.strictObject({ id: z.string(), result: z.enum(["waiting", "cancelled"]) }),
    },
    refusals: ["unknown-item", "conflict"],
    async handle({ params, deps }) {
      const item = found(await deps.store.findEvent(params.id), "event", params.id);
      if (isRefusal(item)) return item;
      const result = await action(deps.store, item);
      const status = name === "retry" ? "waiting" : "shown";
      if (result.done) deps.changes.tell({ kind: "event", id: item.id, status });
      return replyOf(result);
    },
  });

export const eventRoutes: readonly Route[] = [
  eventList,
  oneEvent,
  verb("retry", "The next heartbeat shows it again.", retryEvent),
  verb("cancel", "It is never shown.", cancelEvent),
];

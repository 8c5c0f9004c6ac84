// Replies on their way to people.
import { z } from "zod";
import { deliveryStatuses } from "../../core/delivery.ts";
import { isRefusal, type Refusal } from "../../core/errors.ts";
import { cancelDelivery, retryDelivery } from "../actions/deliveries.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { deliveryResource } from "../resources.ts";
import { delivery, deliveryDetails } from "../shapes/stored.ts";
import { replyOf } from "./reply.ts";
import { found, list, windowOf } from "./list.ts";
import { byId, idPrefix, several, window } from "./parameters.ts";

const deliveryList = list({
  id: "listDeliveries",
  path: "/deliveries",
  summary: "Replies and failure notices for people, newest first.",
  filters: {
    status: z.array(z.enum(deliveryStatuses)).optional(),
    channel: several("Its channel."),
    run: z.string().min(1).max(100).optional().describe("The run that it came from, by its whole id."),
    id: idPrefix,
    ...window,
  },
  item: delivery,
  search: async ({ status, channel, run, id, ...rest }, position, deps) =>
    deps.store.searchDeliveries({
      ...position,
      ...(await windowOf(rest, deps)),
      ...(status && { statuses: status }),
      ...(channel && { channels: channel }),
      ...(run !== undefined && { runId: run }),
      ...(id !== undefined && { id }),
    }),
  toResource: deliveryResource,
});

const oneDelivery = route({
  id: "getDelivery",
  method: "GET",
  path: "/deliveries/{id}",
  summary: "One delivery, with its text.",
  params: byId,
  answer: { status: 200, json: deliveryDetails },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(await deps.store.findDelivery(params.id), "delivery", params.id);
    if (isRefusal(item)) return item;
    return ok({ ...deliveryResource(item), text: item.text, fallback: item.fallback });
  },
});

const retry = route({
  id: "retryDelivery",
  method: "POST",
  path: "/deliveries/{id}/retry",
  summary: "Sends what is not known to be sent; after `unknown`, the recipient may get a message twice.",
  params: byId,
  body: z.strictObject({}),
  bodyOptional: true,
  audited: { verb: "delivery.retry", subject: ({ id }) => id },
  answer: { status: 200, json: z.strictObject({ id: z.string(), status: z.literal("waiting") }) },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, deps }) {
    const item = found(await deps.store.findDelivery(params.id), "delivery", params.id);
    if (isRefusal(item)) return item;
    const result = await retryDelivery(deps.store, item);
    if (result.done) {
      deps.kick("deliveries");
      deps.changes.tell({ kind: "delivery", id: item.id, status: "waiting" });
    }
    return replyOf(result);
  },
});

const cancel = route({
  id: "cancelDelivery",
  method: "POST",
  path: "/deliveries/{id}/cancel",
  summary: "Does not send a waiting one.",
  params: byId,
  body: z.strictObject({}),
  bodyOptional: true,
  audited: { verb: "delivery.cancel", subject: ({ id }) => id },
  answer: { status: 200, json: z.strictObject({ id: z.string(), result: z.literal("cancelled") }) },
  refusals: ["unknown-item", "conflict"],
  async handle({ params, deps }) {
    const item = found(await deps.store.findDelivery(params.id), "delivery", params.id);
    if (isRefusal(item)) return item;
    const result = await cancelDelivery(deps.store, item);
    if (result.done) deps.changes.tell({ kind: "delivery", id: item.id, status: "failed" });
    return replyOf(result);
  },
});

export const deliveryRoutes: readonly Route[] = [deliveryList, oneDelivery, retry, cancel];

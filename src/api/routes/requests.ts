// Requests as they are kept.
import { z } from "zod";
import { isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { requestDetailsResource, requestResource } from "../resources.ts";
import { request, requestDetails } from "../shapes/stored.ts";
import { found, list, windowOf } from "./list.ts";
import { byId, idPrefix, several, window } from "./parameters.ts";

const requestList = list({
  id: "listRequests",
  path: "/requests",
  summary: "Requests with what came of them, newest first.",
  filters: {
    hook: several("The hook that it was sent to."),
    outcome: z.array(z.enum(requestOutcomes)).optional(),
    status: z.array(z.enum(runStatuses)).optional().describe("The status of a run that it led to."),
    error: z.string().max(2000).optional().describe("Its reason, exactly."),
    id: idPrefix,
    ...window,
  },
  item: request,
  search: async ({ hook, outcome, status, error, id, ...rest }, page, deps) =>
    deps.store.searchRequests({
      ...page,
      ...(await windowOf(rest, deps)),
      ...(hook && { hooks: hook }),
      ...(outcome && { outcomes: outcome }),
      ...(status && { statuses: status }),
      ...(error !== undefined && { reason: error }),
      ...(id !== undefined && { id }),
    }),
  toResource: requestResource,
});

const oneRequest = route({
  id: "getRequest",
  method: "GET",
  path: "/requests/{id}",
  summary: "One request, with its visible headers.",
  params: byId,
  answer: { status: 200, json: requestDetails },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(await deps.store.findRequest(params.id), "request", params.id);
    return isRefusal(item) ? item : ok(requestDetailsResource(item));
  },
});

const body = route({
  id: "getRequestBody",
  method: "GET",
  path: "/requests/{id}/body",
  summary: "The body of a request as it came, byte by byte.",
  params: byId,
  answer: { status: 200, type: "application/octet-stream" },
  refusals: ["unknown-item"],
  async handle({ params, deps }): Promise<Reply | Refusal> {
    const item = found(await deps.store.findRequest(params.id), "request", params.id);
    if (isRefusal(item)) return item;
    const bytes = await deps.store.requestBody(params.id);
    if (bytes === null)
      return refuse("unknown-item", { detail: `The body of request ${params.id} is not kept.` });
    return {
      bytes,
      headers: ["Content-Disposition", `attachment; filename="${item.id.replace(/[^\w-]/g, "")}.body"`],
    };
  },
});

export const requestRoutes: readonly Route[] = [requestList, oneRequest, body];

// The description of the API, for programs.
import { z } from "zod";
import { ok, route } from "../frame/route.ts";

export const openApiRoute = route({
  id: "getDescription",
  method: "GET",
  path: "/openapi.json",
  summary: "This description, as OpenAPI 3.1.",
  answer: { status: 200, json: z.looseObject({ openapi: z.string() }) },
  handle: async ({ deps }) => ok(deps.describe()),
});

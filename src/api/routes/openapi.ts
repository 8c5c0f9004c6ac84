// The description of the API, for programs: the file that `npm run generate` makes of the routes.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ok, route } from "../frame/route.ts";

const file = new URL("../../../schema/openapi.json", import.meta.url);

export const openApiRoute = route({
  id: "getDescription",
  method: "GET",
  path: "/openapi.json",
  summary: "This description, as OpenAPI 3.1.",
  answer: { status: 200, json: z.looseObject({ openapi: z.string() }) },
  handle: async () => ok(JSON.parse(await readFile(file, "utf8"))),
});

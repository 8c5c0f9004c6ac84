// The config file of this node: read with its secrets hidden, checked, and written as a whole.
import { z } from "zod";
import { type Refusal, refuse } from "../../core/errors.ts";
import { singleHeader } from "../../http/headers.ts";
import { checkText, readFile, replaceFile } from "../actions/config.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { configText, problem } from "../shapes/settings.ts";

const read = route({
  id: "getConfig",
  method: "GET",
  path: "/config",
  summary: "The config file. Secrets that stand in it are shown as marks; references stay.",
  answer: { status: 200, json: configText, headers: ["ETag"] },
  refusals: ["config-differs"],
  async handle({ deps }): Promise<Reply | Refusal> {
    const file = readFile(deps);
    if ("refused" in file) return file;
    const { etag, ...body } = file;
    return ok(body, ["ETag", etag]);
  },
});

const text = z.strictObject({ text: z.string().max(1_048_576) });
const problems = z.array(problem);

const check = route({
  id: "checkConfig",
  method: "POST",
  path: "/config/check",
  summary: "Every problem that this text would have as the config file. Nothing is written.",
  body: text,
  answer: {
    status: 200,
    json: z.strictObject({ ok: z.boolean(), problems, warnings: problems, restart: z.array(z.string()) }),
  },
  async handle({ body, deps }) {
    const checked = await checkText(body.text, deps);
    return ok({
      ok: checked.ok,
      problems: checked.ok ? [] : checked.problems,
      warnings: checked.warnings,
      restart: checked.ok ? deps.configFile.restartNeeded(checked.config) : [],
    });
  },
});

const write = route({
  id: "replaceConfig",
  method: "PUT",
  path: "/config",
  summary: "Replaces the config file by this text, if it has no problems and nobody changed the file since.",
  body: text,
  audited: { verb: "config.write", subject: () => "config" },
  answer: {
    status: 200,
    json: z.strictObject({
      taken: z.boolean().describe("Whether this node runs with it by now. Otherwise it does within seconds."),
      warnings: problems,
      restart: z.array(z.string()).describe("Settings that change only at a restart."),
    }),
    headers: ["ETag"],
  },
  refusals: ["precondition-required", "precondition-failed", "config-differs", "invalid-config", "conflict"],
  async handle({ body, deps, exchange }): Promise<Reply | Refusal> {
    const ifMatch = singleHeader(exchange.request.rawHeaders, "if-match");
    if (typeof ifMatch !== "string" || ifMatch.trim() === "*") return refuse("precondition-required");
    const written = await replaceFile(body.text, ifMatch, deps);
    if ("refused" in written) return written;
    const { etag, ...result } = written;
    deps.changes.tell({ kind: "config", id: "config", status: null });
    return ok(result, ["ETag", etag]);
  },
});

export const configRoutes: readonly Route[] = [read, check, write];

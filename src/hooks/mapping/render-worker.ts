// The thread that renders what may take long.
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { MappingConfig } from "../../config/config.ts";
import { isRefusal } from "../../core/errors.ts";
import { createBudget } from "../template/budget.ts";
import { TemplateFault } from "../template/template.ts";
import { compileMappings, type Mapping } from "./compile.ts";
import { draftOf, draftsOf } from "./draft.ts";
import type { RenderJob, RenderResult } from "./render-job.ts";
import { parseMapped } from "./request.ts";

function render(mappings: readonly Mapping[], job: RenderJob): RenderResult {
  const { request, perElement, limits, left } = job;
  const mapping = mappings[job.mapping];
  const parsed = parseMapped(Buffer.from(job.body));
  if (mapping === undefined || isRefusal(parsed)) return { kind: "failed", reason: "it cannot be rendered" };
  const budget = createBudget(limits, left);
  const asked = { ...request, payload: parsed.value };
  try {
    const drafts = perElement ? draftsOf(mapping, asked, budget) : [draftOf(mapping, asked, budget)];
    return { kind: "drafts", drafts, left: budget.left() };
  } catch (fault) {
    if (fault instanceof TemplateFault) return { kind: "failed", reason: fault.message };
    throw fault;
  }
}

if (!isMainThread) {
  const { mappings } = compileMappings(workerData as MappingConfig[]);
  parentPort?.on("message", (job: RenderJob) => parentPort?.postMessage(render(mappings, job)));
}

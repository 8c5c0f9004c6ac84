// Renders the templates of one request within one budget. What is done soon is rendered at once; what turns out to take
// longer starts over in a thread, so that no request holds up the others.
import { type Budget, createBudget, type BudgetLimits, requestLimits } from "../template/budget.ts";
import { TemplateFault } from "../template/template.ts";
import type { Mapping } from "./compile.ts";
import { type Draft, draftOf, draftsOf } from "./draft.ts";
import type { RenderJob, RenderResult } from "./render-job.ts";
import type { RenderThread } from "./render-thread.ts";
import type { MappedRequest } from "./request.ts";

export type RenderFault = Exclude<RenderResult, { kind: "drafts" }>;

export type Rendering = {
  /** One draft; with `forEach`, one for each element. */
  drafts(): Promise<Draft[] | RenderFault>;
  /** The draft of a payload that a transform returned. */
  again(payload: unknown): Promise<Draft | RenderFault>;
};

/** What is rendered at once, on the thread that serves all requests. */
export const quickLimits: BudgetLimits = { characters: 200_000, ms: 20 };

export type RenderOptions = { mapping: Mapping; index: number; request: MappedRequest; thread: RenderThread };

export function createRendering({ mapping, index, request, thread }: RenderOptions): Rendering {
  const { payload, body, ...rest } = request;
  const quick = createBudget(quickLimits);
  const limits = requestLimits(body?.length ?? 0);
  let left = limits;

  async function inThread(payloadBytes: Uint8Array, perElement: boolean): Promise<Draft[] | RenderFault> {
    const job: RenderJob = { mapping: index, request: rest, body: payloadBytes, perElement, limits, left };
    const result = await thread.render(job);
    if (result.kind !== "drafts") return result;
    left = result.left;
    return result.drafts;
  }

  return {
    async drafts() {
      const drafts = quickly(quick, () => draftsOf(mapping, request, quick));
      return drafts ?? inThread(body ?? bytesOf(payload), true);
    },
    async again(returned) {
      const asked = { ...request, payload: returned };
      const draft = quickly(quick, () => draftOf(mapping, asked, quick));
      if (draft !== null) return draft;
      const drafts = await inThread(bytesOf(returned), false);
      return Array.isArray(drafts) ? drafts[0]! : drafts;
    },
  };
}

/** Null when it is over the budget. Throws a TemplateFault of another kind. */
function quickly<T>(budget: Budget, work: () => T): T | null {
  if (budget.isSpent()) return null;
  try {
    return work();
  } catch (fault) {
    if (fault instanceof TemplateFault && budget.isSpent()) return null;
    throw fault;
  }
}

const bytesOf = (payload: unknown): Uint8Array => Buffer.from(JSON.stringify(payload));

// The messages between the gateway and the thread that renders what may take long.
import type { BudgetLimits } from "../template/budget.ts";
import type { Draft } from "./draft.ts";
import type { MappedRequest } from "./request.ts";

export type RenderJob = {
  /** The mapping's place in the list of all. */
  mapping: number;
  request: Omit<MappedRequest, "payload" | "body">;
  /** The payload. */
  body: Uint8Array;
  /** Whether to render the element of each action, or the payload as it is. */
  perElement: boolean;
  limits: BudgetLimits;
  left: BudgetLimits;
};

export type RenderResult =
  | { kind: "drafts"; drafts: Draft[]; left: BudgetLimits }
  /** The reason is for the operator. */
  | { kind: "failed"; reason: string }
  /** Too many jobs wait. */
  | { kind: "busy" };

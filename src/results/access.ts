// Who may read a result: whoever started the run, as far as was said when it was stored, and the gateway's own token.
import type { ResultAccess } from "../core/action.ts";
import type { Run } from "../core/run.ts";

export type Reader =
  | { kind: "gateway" }
  /** `name`: of a named token; null for `hooks.token`. */
  | { kind: "token"; name: string | null; opens(hook: string): boolean };

export function accessOf({ hook, request }: Pick<Run, "hook" | "request">, reader: Reader): ResultAccess {
  if (reader.kind === "gateway") return "reply";
  return request.credential === reader.name && reader.opens(hook) ? request.results : "none";
}

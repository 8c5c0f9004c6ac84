// A run has no user to ask, so only the config gives permission.
import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";

export function choose(options: readonly PermissionOption[], allowed: boolean): RequestPermissionOutcome {
  const first = (kind: PermissionOption["kind"]) => options.find((option) => option.kind === kind);
  const option = allowed ? (first("allow_once") ?? first("allow_always")) : first("reject_once");
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}

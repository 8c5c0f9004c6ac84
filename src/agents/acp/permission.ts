// A run has no user to ask, so only the config gives permission, and only for once: an agent keeps what it was allowed
// for always, and later runs would have it, too.
import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";

type Options = readonly PermissionOption[];

const first = (options: Options, kind: PermissionOption["kind"]): PermissionOption | undefined =>
  options.find((option) => option.kind === kind);

export const canAllow = (options: Options): boolean => first(options, "allow_once") !== undefined;

export function choose(options: Options, allowed: boolean): RequestPermissionOutcome {
  const option = first(options, allowed ? "allow_once" : "reject_once");
  return option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId };
}

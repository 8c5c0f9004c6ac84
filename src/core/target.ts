// Where a reply goes: resolves the channel and recipient that a run asked for.

export const platforms = [
  "whatsapp",
  "telegram",
  "discord",
  "slack",
  "mattermost",
  "signal",
  "imessage",
  "msteams",
] as const;

export const lastChannel = "last";
const firstChoice = platforms[0];

export type Target = { channel: string; to: string };

/** As requested: the channel may be `last`, and without `to` the channel's default recipient is meant. */
export type WantedTarget = { channel: string; to: string | null };

/** A configured channel and its default recipient. */
export type ConfiguredChannel = { channel: string; to: string | null };

/** The channel names that a request may use. */
export const channelNames = (configured: readonly ConfiguredChannel[]): ReadonlySet<string> =>
  new Set([lastChannel, ...platforms, ...configured.map(({ channel }) => channel)]);

export type TargetPolicy = {
  lastTarget: Target | null;
  configured: readonly ConfiguredChannel[];
};

/**
 * `status`: how a reply ends that cannot go there. Suppressed: no channel is configured at all, and none was asked for
 * by name, so nobody waits for it.
 */
export type UnresolvedTarget = {
  ok: false;
  status: "failed" | "suppressed";
  channel: string;
  reason: string;
};
export type ResolvedTarget = { ok: true; target: Target } | UnresolvedTarget;

export function resolveTarget(wanted: WantedTarget, policy: TargetPolicy): ResolvedTarget {
  const { lastTarget, configured } = policy;
  const isAnyone = wanted.channel === lastChannel && lastTarget === null;
  if (isAnyone && configured.length === 0)
    return { ok: false, status: "suppressed", channel: lastChannel, reason: "no channel is configured" };
  const channel = wanted.channel === lastChannel ? chooseLast(policy) : wanted.channel;
  const failed = (reason: string): UnresolvedTarget => ({ ok: false, status: "failed", channel, reason });
  const found = configured.find((each) => each.channel === channel);
  if (!found)
    return failed(`${isAnyone ? "no last recipient is set, and " : ""}${notConfigured(channel, policy)}`);
  const lastTo = lastTarget?.channel === channel ? lastTarget.to : null;
  const to = wanted.to ?? lastTo ?? found.to;
  if (to === null) return failed(`no recipient is known for the channel ${channel}`);
  return { ok: true, target: { channel, to } };
}

function notConfigured(channel: string, { configured }: TargetPolicy): string {
  const names = configured.map((each) => each.channel).join(", ");
  return `the channel ${channel} is not configured${names ? `; configured: ${names}` : ", and no other is"}`;
}

function chooseLast({ lastTarget, configured }: TargetPolicy): string {
  if (lastTarget) return lastTarget.channel;
  if (configured.some((each) => each.channel === firstChoice)) return firstChoice;
  const [only, second] = configured;
  return only && !second ? only.channel : firstChoice;
}

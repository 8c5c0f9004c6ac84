// Where a reply goes: the channel and recipient a run asked for, made concrete.

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
const fallbackChannel = platforms[0];

export type Target = { channel: string; to: string };

/** A configured channel and its default recipient. */
export type ConfiguredChannel = { channel: string; to: string | null };

export type TargetPolicy = {
  lastTarget: Target | null;
  configured: readonly ConfiguredChannel[];
};

export type ResolvedTarget = { ok: true; target: Target } | { ok: false; channel: string; reason: string };

export function resolveTarget(
  wanted: { channel: string; to: string | null },
  policy: TargetPolicy,
): ResolvedTarget {
  const channel = wanted.channel === lastChannel ? chooseLast(policy) : wanted.channel;
  const configured = policy.configured.find((each) => each.channel === channel);
  if (!configured) {
    const reason =
      policy.configured.length === 0
        ? "no channel is configured"
        : `the channel ${channel} is not configured`;
    return { ok: false, channel, reason };
  }
  const lastTo = policy.lastTarget?.channel === channel ? policy.lastTarget.to : null;
  const to = wanted.to ?? lastTo ?? configured.to;
  if (to === null) return { ok: false, channel, reason: `no recipient is known for the channel ${channel}` };
  return { ok: true, target: { channel, to } };
}

function chooseLast({ lastTarget, configured }: TargetPolicy): string {
  if (lastTarget) return lastTarget.channel;
  if (configured.some((each) => each.channel === fallbackChannel)) return fallbackChannel;
  const [only, second] = configured;
  return only && !second ? only.channel : fallbackChannel;
}

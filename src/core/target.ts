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

export type ResolvedTarget = { ok: true; target: Target } | { ok: false; channel: string; reason: string };

export function resolveTarget(wanted: WantedTarget, policy: TargetPolicy): ResolvedTarget {
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
  if (configured.some((each) => each.channel === firstChoice)) return firstChoice;
  const [only, second] = configured;
  return only && !second ? only.channel : firstChoice;
}

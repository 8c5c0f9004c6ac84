// What the hooks of a config are made of, for commands that decide requests as its gateway would.
import { problemList } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import { channelNames } from "../../core/target.ts";
import type { HookSettings } from "../../hooks/settings.ts";
import type { Loaded } from "./settings.ts";

/** A config with problems ends the command with all of them. Its mappings are closed after `use`. */
export async function withHooks<T>(
  { config, locate }: Loaded,
  use: (settings: HookSettings) => Promise<T>,
  onOutput: (text: string) => void = () => {},
): Promise<T> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const { prepareSenders } = await import("../../hooks/senders/prepare.ts");
  const { openChannels } = await import("../../channels/registry.ts");
  const { hookSettings } = await import("../../hooks/settings.ts");
  const prepared = await prepareMappings({ ...config.hooks, onOutput });
  if (!prepared.ok) throw new UsageError(problemList(config.file, prepared.findings.map(locate)));
  const { mappings } = prepared;
  try {
    const opened = await openChannels(config.channels, { fetch });
    if (!opened.ok) throw new UsageError(problemList(config.file, opened.findings.map(locate)));
    const channels = channelNames(opened.channels.configured());
    const senders = prepareSenders(config.hooks.senders, config.hooks.mappings);
    if (!senders.ok) throw new UsageError(problemList(config.file, senders.findings.map(locate)));
    return await use(hookSettings(config, { mappings, senders: senders.senders, channels }));
  } finally {
    await mappings.close();
  }
}

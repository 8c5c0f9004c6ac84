// Checks each channel: its settings, its default recipient, and whether its platform accepts its credentials.
import type { Channel } from "../../sdk/channel.ts";
import { formatProblem } from "../../config/problem.ts";
import { faultKind } from "../../core/errors.ts";
import type { Loaded } from "../open/settings.ts";
import { fail, type Finding, ok } from "./finding.ts";

const timeoutMs = 5000;

export async function checkChannels({ config, locate }: Loaded, limitMs = timeoutMs): Promise<Finding[]> {
  const { openChannels } = await import("../../channels/registry.ts");
  const opened = await openChannels(config.channels, { fetch });
  if (!opened.ok) {
    const problems = opened.findings.map((finding) => formatProblem(locate(finding))).join("; ");
    return [fail("channels", `cannot be used: ${problems}`, "Fix these settings, then run: rouse check")];
  }
  const { channels } = opened;
  const configured = channels.configured();
  if (configured.length === 0) return [ok("channels", "none: replies are stored and sent to nobody")];
  return Promise.all(
    configured.flatMap(({ channel: name, to }) => {
      const channel = channels.find(name);
      return channel ? [checkChannel(name, channel, to, limitMs)] : [];
    }),
  );
}

async function checkChannel(
  name: string,
  channel: Channel,
  to: string | null,
  limitMs: number,
): Promise<Finding> {
  const check = `channel ${name}`;
  const fault = to === null ? null : channel.recipientFault(to);
  if (fault !== null)
    return fail(check, `its default recipient ${fault}`, `Change channels.${name}.to in the config.`);
  const result = await within(channel, limitMs);
  return result.ok
    ? ok(check, `its credentials are accepted: ${result.detail}`)
    : fail(check, result.reason, `See docs/channels.md, then: rouse channels test ${name}`);
}

/** Resolves within the limit, even when the channel's check does not. */
async function within(channel: Channel, limitMs: number) {
  const stop = new AbortController();
  const late = Promise.withResolvers<{ ok: false; reason: string }>();
  const timer = setTimeout(() => {
    late.resolve({ ok: false, reason: `no response within ${Math.round(limitMs / 1000)} seconds` });
    stop.abort();
  }, limitMs);
  try {
    return await Promise.race([late.promise, channel.check(stop.signal)]);
  } catch (fault) {
    return { ok: false as const, reason: `its check failed (${faultKind(fault)})` };
  } finally {
    clearTimeout(timer);
  }
}

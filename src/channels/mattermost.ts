// Mattermost, as a bot account. It is a plugin: loaded and given its settings the way a user's own channel is.
import { z } from "zod";
import type { Channel, ChannelPlugin, ChannelTools, SendOutcome } from "../sdk/channel.ts";
import { createLookup } from "./lookup.ts";
import { checkOf, foundId, limited, outcomeOf, quoted, rejected, within } from "./outcome.ts";
import { type Responded, getJson, type PlatformResponse, postJson, retryAfterMs } from "./request.ts";
import { renderings } from "./renderings.ts";

const settingsForm = z.strictObject({
  apiBase: z.url({ protocol: /^https?$/, error: "must be the server's address" }),
  token: z.string().min(1, "must be the bot account's token"),
});
type Settings = z.output<typeof settingsForm>;

const recipientForm = /^(?:[a-z0-9]{26}|user:[a-z0-9]{26}|@[a-z0-9][a-z0-9._-]{0,63})$/;

const plugin: ChannelPlugin = {
  id: "mattermost",
  create(settings, tools) {
    const { data, error } = settingsForm.safeParse(settings);
    if (data) return createMattermost(data, tools);
    const faults = error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
    throw new Error(faults.join("; "));
  },
};
export default plugin;

function createMattermost({ apiBase, token }: Settings, { fetch }: ChannelTools): Channel {
  const headers = { authorization: `Bearer ${token}` };
  const at = (path: string) => within(apiBase, `api/v4/${path}`);
  const get = (path: string, signal: AbortSignal) => getJson(at(path), { headers, signal, fetch });
  const post = (path: string, body: unknown, signal: AbortSignal) =>
    postJson(at(path), { headers, body, signal, fetch });
  const read = (response: PlatformResponse) =>
    outcomeOf(response, (responded) => readResponse(responded, token));
  const userOf = createLookup(async (path, signal) => foundId(await get(path, signal), read));
  const channelOf = createLookup(async (to, signal) => {
    const me = await userOf("users/me", signal);
    const them = to.startsWith("user:") ? to.slice(5) : await userOf(`users/username/${to.slice(1)}`, signal);
    if (typeof me !== "string" || typeof them !== "string") return typeof me === "string" ? them : me;
    return foundId(await post("channels/direct", [me, them], signal), read);
  });
  return {
    idempotent: true,
    recipientFault: (to) =>
      recipientForm.test(to)
        ? null
        : "must be a channel's id of 26 characters, user:ID, or @name in small letters",
    render: renderings.mattermost,
    async send({ id, to, text }, signal) {
      const channel = /^(user:|@)/.test(to) ? await channelOf(to, signal) : to;
      if (typeof channel !== "string") return channel;
      return read(await post("posts", { channel_id: channel, message: text, pending_post_id: id }, signal));
    },
    async check(signal) {
      const response = await get("users/me", signal);
      const { data } = doneForm.safeParse(response.kind === "responded" ? response.json : undefined);
      return checkOf(read(response), `the account @${data?.username ?? "?"}`);
    },
  };
}

const doneForm = z.object({ id: z.string(), username: z.string().optional() });
const refusalForm = z.object({ id: z.string().optional(), message: z.string().optional() });

function readResponse({ status, headers, json }: Responded, token: string): SendOutcome | null {
  if (status < 300) return doneForm.safeParse(json).success ? { kind: "sent" } : null;
  if (status === 429) return limited(retryAfterMs(headers) ?? resetAfterMs(headers));
  if (status === 401) return rejected("Mattermost does not take the token: it is wrong, disabled or expired");
  const { data: refusal = {} } = refusalForm.safeParse(json);
  if (status < 400 || status >= 500 || refusal.message === undefined) return null;
  const known = refusals.find(([form]) => form.test(refusal.id ?? ""));
  return rejected(known?.[1] ?? `Mattermost refused it: ${quoted(refusal.message, token)}`);
}

function resetAfterMs(headers: Headers): number | null {
  const written = headers.get("x-ratelimit-reset")?.trim() ?? "";
  return /^\d{1,9}$/.test(written) ? Number(written) * 1000 : null;
}

const refusals: readonly [RegExp, string][] = [
  [/^api\.context\.permissions/, "the bot has no permission there: add it to the team and to the channel"],
  [/channel\.get\.existing|channel\.get_channel/, "no such channel"],
  [/missing_account|user\.get_by_username|user\.get\./, "no such user"],
  [/can_not_post_to_deleted/, "the channel is archived"],
  [/message_length/, "the message is too long for this server"],
];

// `channels`: where replies go. A platform is one entry here and one file in `channels/`.
import { z } from "zod";
import { argument, secret, text } from "./field.ts";
import { webAddress } from "./models.ts";

const to = (example: string) =>
  text().describe(`Who gets replies that name no recipient, such as \`${example}\`.`).optional();
const apiBase = (usual: string) =>
  webAddress.describe(`The address of the platform, instead of \`${usual}\`.`).optional();

/** The name of a plugin is known only when it is loaded: whether the channel exists is checked then. */
export const channelName = text().toLowerCase();

export const fallback = z
  .strictObject({
    channel: channelName.describe("The channel to use instead; `last` is the main session's last recipient."),
    to: text().describe("The recipient there. Left out: that channel's own.").optional(),
  })
  .describe("Where a reply goes when it finally cannot be delivered.");

const telegram = z.strictObject({
  token: secret("The bot's token, from @BotFather."),
  to: to("12345"),
  apiBase: apiBase("https://api.telegram.org"),
});

const whatsapp = z.strictObject({
  phoneNumberId: text().describe("The id of the sending number in the Cloud API."),
  token: secret("A system user's token."),
  to: to("+15550001111"),
  template: z
    .strictObject({
      name: text().describe("An approved template with one text parameter in its body."),
      language: text().describe("Its language, such as `en_US`."),
    })
    .describe("Sent in place of free text when the recipient has not written for 24 hours.")
    .optional(),
  apiBase: apiBase("https://graph.facebook.com/v26.0"),
});

const discord = z.strictObject({
  token: secret("The bot's token."),
  to: to("112233445566778899"),
  apiBase: apiBase("https://discord.com/api/v10"),
});

const slack = z.strictObject({
  token: secret("The bot's token, `xoxb-…`, with the scope chat:write."),
  to: to("C0123456789"),
  apiBase: apiBase("https://slack.com/api"),
});

const mattermost = z.strictObject({
  apiBase: webAddress.describe("The server's address."),
  token: secret("The bot account's token."),
  to: to("user:26-character-id"),
});

const signal = z.strictObject({
  apiBase: apiBase("http://127.0.0.1:8080"),
  account: text().describe("The number signal-cli sends from, where it has several.").optional(),
  to: to("+15550001111"),
});

const imessage = z.strictObject({
  apiBase: webAddress.describe("The address of a BlueBubbles server.").optional(),
  password: secret("BlueBubbles' password.").optional(),
  method: z
    .enum(["apple-script", "private-api"])
    .describe("How BlueBubbles sends. Default `apple-script`.")
    .optional(),
  command: z
    .array(argument)
    .min(1)
    .describe('In place of BlueBubbles: a program that speaks `imsg rpc`, such as `["ssh", "mac", "imsg", "rpc"]`.')
    .optional(),
  to: to("+15550001111"),
});

const msteams = z.strictObject({
  appId: text().describe("The bot's application id."),
  appPassword: secret("The bot's client secret."),
  tenant: text().describe("The tenant of a single-tenant bot. Default `botframework.com`.").optional(),
  to: to("19:…@thread.tacv2"),
  apiBase: apiBase("https://smba.trafficmanager.net/teams"),
  tokenUrl: webAddress.describe("Where the access token comes from, in place of Microsoft's.").optional(),
});

const plugin = z.union(
  [
    text(),
    z.strictObject({
      module: text().describe("The module's file, relative to this config."),
      to: to("whatever it takes"),
      settings: z.looseObject({}).describe("Settings for the module.").optional(),
    }),
  ],
  { error: 'must be a file, or { "module": …, "settings": … }' },
);

export const channels = z.strictObject({
  whatsapp: whatsapp.describe("WhatsApp, through Meta's Cloud API.").optional(),
  telegram: telegram.describe("Telegram, as a bot.").optional(),
  discord: discord.describe("Discord, as a bot.").optional(),
  slack: slack.describe("Slack, as an app's bot.").optional(),
  mattermost: mattermost.describe("Mattermost, as a bot account.").optional(),
  signal: signal.describe("Signal, through a signal-cli daemon.").optional(),
  imessage: imessage.describe("iMessage, through BlueBubbles or imsg.").optional(),
  msteams: msteams.describe("Microsoft Teams, as a bot.").optional(),
  plugins: z
    .array(plugin)
    .default([])
    .describe("Channels of your own: modules with a default export of type `ChannelPlugin` (`rouse/channel`)."),
});

type Given<T> = Omit<T, "to">;
export type TelegramSettings = Given<z.output<typeof telegram>>;
export type WhatsappSettings = Given<z.output<typeof whatsapp>>;
export type DiscordSettings = Given<z.output<typeof discord>>;
export type SlackSettings = Given<z.output<typeof slack>>;
export type SignalSettings = Given<z.output<typeof signal>>;
export type ImessageSettings = Given<z.output<typeof imessage>>;
export type MsteamsSettings = Given<z.output<typeof msteams>>;

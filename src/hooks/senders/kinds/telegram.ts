import type { SenderKind } from "../kind.ts";

export const telegram: SenderKind = {
  id: "telegram",
  label: "Telegram bot",
  secret: {
    from: "us",
    shape: { pattern: /^[A-Za-z0-9_-]{1,256}$/, says: "has 1 to 256 letters, digits, - and _" },
    where: "`secret_token` of the call `setWebhook`",
  },
  schemes: [
    {
      proof: { kind: "equal", at: [{ header: "x-telegram-bot-api-secret-token" }] },
      delivery: { at: [{ json: "update_id" }], signed: false },
    },
  ],
  replay: "none",
  body: { types: ["json"] },
  describe: {
    checks: "The secret token in `X-Telegram-Bot-Api-Secret-Token`.",
    doesNotCheck: "The body: the token is the same for each update.",
    retries: "Until it is taken, with growing waits, for up to a day.",
    setUp: [
      "Run: curl https://api.telegram.org/botBOT_TOKEN/setWebhook -d url=ADDRESS -d secret_token=SECRET",
      "The bot of a webhook cannot be asked for updates by another program at the same time.",
    ],
    docs: "https://core.telegram.org/bots/api#setwebhook",
  },
};

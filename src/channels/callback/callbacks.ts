// The callbacks of a configuration, by name.
import type { CallbackConfig } from "../../config/config.ts";
import { isPrivateHost } from "../../core/public-address.ts";
import type { Run } from "../../core/run.ts";
import type { Channel, SendOutcome } from "../../sdk/channel.ts";
import { rejected } from "../outcome.ts";
import { sendGithubComment, sendGitlabComment } from "./comment.ts";
import { openNetwork } from "./network.ts";
import type { Sending } from "./sending.ts";
import { sendStandard } from "./standard.ts";

/** One message, made of the stored run. */
export type CallbackMessage = {
  run: Run;
  to: string;
  /** One of the texts that `render` returned for the reply. */
  text: string;
};

export type Callback = {
  /** The platform in whose dialect the reply is written. */
  platform: string;
  render: Channel["render"];
  /** The rest of a longer reply is left out. */
  mostMessages: number;
  /** The receiver knows a message that it had before. */
  idempotent: boolean;
  send(message: CallbackMessage, signal: AbortSignal): Promise<SendOutcome>;
};

export type Callbacks = { find(name: string): Promise<Callback | null>; names(): readonly string[] };

export const noCallbacks: Callbacks = { find: async () => null, names: () => [] };

export type CallbackTools = { open?: typeof openNetwork; now?: () => number };

export function createCallbacks(
  configured: ReadonlyMap<string, CallbackConfig>,
  { open = openNetwork, now = Date.now }: CallbackTools = {},
): Callbacks {
  const made = new Map<string, Callback>();
  return {
    names: () => [...configured.keys()],
    async find(name) {
      const known = made.get(name);
      const config = configured.get(name);
      if (known || !config) return known ?? null;
      const callback = await createCallback(config, { open, now });
      made.set(name, callback);
      return callback;
    },
  };
}

const asWritten: Channel["render"] = (markdown) => [markdown];
/** So often Slack takes a response. */
const mostSlackMessages = 5;

async function createCallback(
  config: CallbackConfig,
  { open, now }: Required<CallbackTools>,
): Promise<Callback> {
  // Whoever writes an address or allows a private network means it.
  const isNamed = config.url !== null && isPrivateHost(new URL(config.url).hostname);
  const { fetch } = open({ allowPrivate: config.allowPrivate || isNamed });
  const sending = (signal: AbortSignal): Sending => ({ fetch, signal, now });
  switch (config.format) {
    case "standard":
      return {
        platform: "standard",
        render: () => [""],
        mostMessages: 1,
        idempotent: true,
        send: ({ run }, signal) => sendStandard(run, config, sending(signal)),
      };
    case "github-comment":
      return {
        platform: "github",
        render: asWritten,
        mostMessages: 1,
        idempotent: false,
        send: (message, signal) => sendGithubComment(message, config, sending(signal)),
      };
    case "gitlab-comment":
      return {
        platform: "gitlab",
        render: asWritten,
        mostMessages: 1,
        idempotent: false,
        send: (message, signal) => sendGitlabComment(message, config, sending(signal)),
      };
    case "slack-response": {
      // It renders Markdown, for which a library is loaded.
      const { renderForSlack, sendSlackResponse } = await import("./slack-response.ts");
      return {
        platform: "slack",
        render: renderForSlack,
        mostMessages: mostSlackMessages,
        idempotent: false,
        async send({ run, text }, signal) {
          const address = run.request.callback?.to;
          if (!address) return rejected("the run does not say where Slack wants its response");
          return sendSlackResponse({ address, text }, sending(signal));
        },
      };
    }
  }
}

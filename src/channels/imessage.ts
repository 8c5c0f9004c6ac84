// iMessage, which only a Mac can send: through a BlueBubbles server there, or through `imsg rpc`.
import type { Channel, ChannelTools } from "../sdk/channel.ts";
import type { ImessageSettings } from "../config/schema/channels.ts";
import { createBlueBubbles } from "./bluebubbles.ts";
import { createImsg, type ImsgOptions } from "./imsg.ts";
import { phoneNumber } from "./phone.ts";
import { renderings } from "./renderings.ts";

const chatGuid = /^[A-Za-z]+;[-+];\S+$/;
const mailAddress = /^[^\s@;]+@[^\s@;.]+(?:\.[^\s@;.]+)+$/;

/** Either `command` is set, or `apiBase` and `password` are: the config has seen to it. */
export function createImessage(
  settings: ImessageSettings,
  tools: ChannelTools,
  options: ImsgOptions = {},
): Channel {
  const { send, check } = settings.command
    ? overImsg(settings.command, options)
    : overBlueBubbles(settings, tools);
  return {
    idempotent: false,
    recipientFault: (to) =>
      chatGuid.test(to) || handleOf(to) !== null
        ? null
        : "must be a phone number such as +15550001111, a mail address, or the guid of a chat such as iMessage;+;chat123",
    render: renderings.imessage,
    send,
    check,
  };
}

type Transport = Pick<Channel, "send" | "check">;

function overImsg(command: readonly string[], options: ImsgOptions): Transport {
  const imsg = createImsg(command, options);
  return {
    send: (message, signal) => {
      const isChat = chatGuid.test(message.to);
      const to = isChat ? message.to : (handleOf(message.to) ?? message.to);
      return imsg.send({ ...message, to, isChat }, signal);
    },
    check: (signal) => imsg.check(signal),
  };
}

function overBlueBubbles(
  { apiBase = "", password = "", method = "apple-script" }: ImessageSettings,
  tools: ChannelTools,
): Transport {
  const { send, check } = createBlueBubbles({ apiBase, password, method }, tools);
  const chatOf = (to: string) => (chatGuid.test(to) ? to : `iMessage;-;${handleOf(to) ?? to}`);
  return { send: (message, signal) => send({ ...message, to: chatOf(message.to) }, signal), check };
}

/** How Messages knows a person. */
const handleOf = (to: string): string | null => (mailAddress.test(to) ? to.toLowerCase() : phoneNumber(to));

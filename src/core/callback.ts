// A callback: the result of a run, sent to the program that asked for it. It is a delivery on a channel of its own, so it
// waits, is tried again and ends as every delivery does.

/** `standard`: a signed request with the result. The others answer where the event came from. */
export const callbackFormats = ["standard", "slack-response", "github-comment", "gitlab-comment"] as const;
export type CallbackFormat = (typeof callbackFormats)[number];

/** As a run keeps it. */
export type CallbackTarget = {
  /** Of `hooks.callbacks`. */
  readonly name: string;
  /** Where the event came from, for formats that answer there; empty where the request does not say. */
  readonly to: string | null;
};

const prefix = "callback:";

/** The channel of the callbacks of this name. No platform and no plugin can have such a name. */
export const callbackChannel = (name: string): string => prefix + name;

/** The name of its callback; null for every other channel. */
export const callbackOfChannel = (channel: string): string | null =>
  channel.startsWith(prefix) ? channel.slice(prefix.length) : null;

/** Without an address that whoever knows it may use. */
export const shownCallback = (callback: CallbackTarget | null): CallbackTarget | null =>
  callback && { ...callback, to: callback.to !== null && isAddress(callback.to) ? null : callback.to };

export const isAddress = (to: string): boolean => to.startsWith("https:");

export const webhookIdOf = (runId: string): string => `${runId}.end`;

// The types of a channel, for Rouse's own channels and for yours. A module of yours is named in `channels.plugins` and
// exports a `ChannelPlugin` as its default.

import type { SendOutcome } from "../core/delivery.ts";

export type { SendOutcome } from "../core/delivery.ts";

/** One message to one recipient; a long reply is several of them, in order. */
export type OutgoingMessage = {
  /** The same for every attempt at this message and for no other: for platforms that take an idempotency value. */
  readonly id: string;
  /** A recipient for which `recipientFault` returned null. */
  readonly to: string;
  /** One of the texts that `render` returned. */
  readonly text: string;
};

export type CheckResult =
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly reason: string };

/**
 * - Nothing here throws: a refusal or an unreachable platform is an outcome.
 * - It decides no retries and waits for none: it says what the platform asked for.
 * - When `signal` fires after the message may have left, the outcome is `unknown`; before, `retry`.
 * - A reason never contains a token.
 */
export type Channel = {
  /** Null when the recipient has a form this platform knows, else what is wrong with it. */
  recipientFault(to: string): string | null;
  /** Markdown as the messages to send, in order, in the platform's own dialect and within its limit. Pure. */
  render(markdown: string): readonly string[];
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;
  /** A harmless call that shows whether the platform would take our messages. */
  check(signal: AbortSignal): Promise<CheckResult>;
  /** The platform drops a second message with the same id, so a message may be tried again freely. */
  readonly idempotent: boolean;
};

export type ChannelTools = {
  /** Fails where a response has more than 16 MiB. */
  readonly fetch: typeof fetch;
};

export type ChannelPlugin = {
  /** The name to use as `channel`: lower-case letters, digits and dashes. */
  readonly id: string;
  /** Throws an Error with a plain sentence when the settings are wrong. */
  create(settings: unknown, tools: ChannelTools): Channel;
};

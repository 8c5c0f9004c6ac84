// The channel port: where replies go.
import type { SendOutcome } from "../core/delivery.ts";

export type Message = { deliveryId: string; to: string; text: string };

/**
 * `send` never throws: a refusal or an unreachable platform is an outcome. It decides no retries. When `signal`
 * fires after the message may have left, the outcome is `unknown`.
 */
export type Channel = {
  send(message: Message, signal: AbortSignal): Promise<SendOutcome>;
};

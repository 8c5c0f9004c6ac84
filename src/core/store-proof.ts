// How a gateway proves which store it uses to someone who knows that store, without a token being sent to a stranger.
import { createHmac } from "node:crypto";

/** The request header with a random text of the asker's own. */
export const challengeHeader = "x-rouse-challenge";

export const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{22,64}$/.test(text);

/** `identity` is the store's: 256 random bits, so a proof gives nothing away. */
export const proofOf = (identity: string, challenge: string): string =>
  createHmac("sha256", identity).update(challenge).digest("base64url");

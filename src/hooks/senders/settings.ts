// What the configuration says of one sender, as a proof needs it.
import type { SenderConfig } from "../../config/config.ts";

export type SenderSettings = Omit<SenderConfig, "custom" | "kind" | "maxBodyBytes">;

/** A setting that only some kinds need. */
export type SpecialSetting =
  | "publicKey"
  | "publicUrl"
  | "verifyToken"
  | "origins"
  | "topicArns"
  | "audience"
  | "serviceAccountEmail"
  | "webhookId"
  | "header";

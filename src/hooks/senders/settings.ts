// What the configuration says of one sender.

/** What the configuration says of one sender, as a proof needs it. */
export type SenderSettings = {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly publicKeys: readonly string[];
  /** Without a query. */
  readonly publicUrl: string | null;
  readonly verifyToken: string | null;
  readonly origins: readonly string[];
  readonly topicArns: readonly string[];
  readonly audience: string | null;
  readonly serviceAccountEmail: string | null;
  readonly webhookId: string | null;
  readonly header: string | null;
  readonly toleranceSeconds: number | null;
};

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

// Senders' settings and requests, and what a kind says of them.
import type { SenderConfig } from "../../src/config/config.ts";
import { senderKinds } from "../../src/hooks/senders/kinds/index.ts";
import type { ProofFailure, Proven, SenderKind } from "../../src/hooks/senders/kind.ts";
import { type SenderRequest, senderRequest } from "../../src/hooks/senders/request.ts";
import { createVerifier } from "../../src/hooks/senders/verify.ts";

export const senderUrl = "https://rouse.example/hooks/test";

export const aSender = (kind: string, parts: Partial<SenderConfig> = {}): SenderConfig => ({
  name: "test",
  kind,
  secrets: [],
  publicKeys: [],
  publicUrl: null,
  verifyToken: null,
  origins: [],
  topicArns: [],
  audience: null,
  serviceAccountEmail: null,
  webhookId: null,
  header: null,
  custom: null,
  toleranceSeconds: null,
  maxBodyBytes: 1_048_576,
  ...parts,
});

export const senderKind = (id: string): SenderKind => {
  const kind = senderKinds.get(id);
  if (kind === undefined) throw new Error(`there is no kind ${id}`);
  return kind;
};

export type RequestParts = {
  method?: string;
  target?: string;
  /** A list where a header stands twice. */
  headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  body?: string | Buffer;
};

export function aSenderRequest(parts: RequestParts = {}): SenderRequest {
  const { method = "POST", target = "/hooks/test", headers = {}, body = "" } = parts;
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  return senderRequest({ method, target, rawHeaders: pairs.flat() as string[] }, bytes);
}

const nothingFetched = (): Promise<string> => Promise.reject(new Error("nothing is fetched here"));

/** What a proof says of its request; what its repeats are known by is tested with the ladder. */
export type Said = Pick<Proven, "secret" | "delivery" | "event">;

/** First the head alone, then the whole request, as on the ladder. */
export async function proofOf(
  settings: SenderConfig,
  request: SenderRequest,
  { now, fetchText = nothingFetched }: { now: number; fetchText?: (url: string) => Promise<string> },
): Promise<Said | ProofFailure> {
  const verifier = createVerifier(senderKind(settings.kind), settings);
  const early = verifier.checkHead(request, now);
  if (early !== null) return early;
  const result = await verifier.prove(request, { now, settings, fetchText });
  if ("failed" in result) return result;
  const { secret, delivery, event } = result;
  return { secret, delivery, event };
}

export const isProven = (result: Said | ProofFailure): result is Said => !("failed" in result);

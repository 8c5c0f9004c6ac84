import type { CryptoKey } from "jose";
import { tokenFault } from "../../../core/google-token.ts";
import { singleHeader } from "../../../http/headers.ts";
import type { ProofDeps, Prove, SenderKind } from "../kind.ts";

const keysUrl = "https://www.googleapis.com/oauth2/v3/certs";
const bearer = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

const minuteMs = 60_000;

type Jwk = { kid?: unknown; n?: string; e?: string };

function findIn(text: string, id: string): Jwk | undefined {
  const { keys } = JSON.parse(text) as { keys?: Jwk[] };
  return Array.isArray(keys) ? keys.find(({ kid }) => kid === id) : undefined;
}

/** Google changes its keys every few days: an id that is not among ours makes them be fetched again. */
const findKeyBy =
  (fetchText: ProofDeps["fetchText"]) =>
  async (id: string): Promise<CryptoKey | null> => {
    const { importJWK } = await import("jose/key/import");
    const found = findIn(await fetchText(keysUrl), id) ?? findIn(await fetchText(keysUrl, minuteMs), id);
    if (typeof found?.n !== "string" || typeof found.e !== "string") return null;
    const key = await importJWK({ kty: "RSA", n: found.n, e: found.e }, "RS256");
    return key instanceof Uint8Array ? null : key;
  };

const prove: Prove = async (request, { now, settings, fetchText }) => {
  const written = singleHeader(request.rawHeaders, "authorization");
  if (written === undefined) return { failed: "header-missing" };
  const token = typeof written === "string" ? bearer.exec(written.trim())?.[1] : undefined;
  if (token === undefined) return { failed: "malformed" };
  const expected = {
    audience: settings.audience ?? "",
    serviceAccountEmail: settings.serviceAccountEmail ?? "",
  };
  const fault = await tokenFault(token, { expected, findKey: findKeyBy(fetchText), now });
  return fault === null ? { secret: null } : { failed: "wrong-secret" };
};

export const googlePubsub: SenderKind = {
  id: "google-pubsub",
  label: "Google Cloud Pub/Sub",
  secret: { from: "none", where: "nowhere: Google signs a token with keys of its own" },
  needs: {
    audience: "the Audience of the push subscription's authentication",
    serviceAccountEmail: "the service account of the push subscription's authentication",
  },
  schemes: [
    {
      proof: { kind: "code", prove },
      delivery: { at: [{ json: "message.messageId" }], signed: false },
    },
  ],
  event: { at: [{ json: "message.attributes.eventType" }], signed: false },
  replay: "none",
  body: { types: ["json"] },
  describe: {
    checks: "Google's token in `Authorization: Bearer`: its signature, audience, service account and time.",
    doesNotCheck: "The message itself: who has a token can send any body while it is valid, an hour at most.",
    retries: "With growing waits until it hears a 2xx, for as long as the subscription keeps messages.",
    setUp: [
      "Open Pub/Sub, Subscriptions, Create. Delivery type: Push. Endpoint URL: ADDRESS.",
      "Enable authentication: choose a service account and an audience, and put both into the config.",
      "The text of a message is base64 in `message.data`: decode it in a transform.",
    ],
    docs: "https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions",
  },
};

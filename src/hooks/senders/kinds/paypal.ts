import { verify } from "node:crypto";
import { crc32 } from "node:zlib";
import { singleHeader } from "../../../http/headers.ts";
import { pinnedUrl, type PinnedAddress, rsaKeyIn } from "../certificate.ts";
import { decode } from "../keys.ts";
import type { Prove, SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

const certificates: PinnedAddress = {
  host: /^api\.(?:sandbox\.)?paypal\.com$/,
  path: /^\/v1\/notifications\/certs\/[A-Za-z0-9-]+$/,
};

const prove: Prove = async (request, { now, settings, fetchText }) => {
  const [id, time, written, certificate, algorithm] = ["id", "time", "sig", "cert-url", "auth-algo"].map(
    (name) =>
      singleHeader(
        request.rawHeaders,
        name === "cert-url" || name === "auth-algo" ? `paypal-${name}` : `paypal-transmission-${name}`,
      ),
  );
  if (written === undefined) return { failed: "header-missing" };
  const signature = typeof written === "string" ? decode(written, "base64") : null;
  const address = pinnedUrl(certificate, certificates);
  const isWell = typeof id === "string" && /^[0-9A-Za-z-]{1,100}$/.test(id) && typeof time === "string";
  if (!isWell || signature === null || address === null || algorithm !== "SHA256withRSA")
    return { failed: "malformed" };
  const key = rsaKeyIn(await fetchText(address), now);
  const text = [id, time, settings.webhookId ?? "", String(crc32(request.body))].join("|");
  const isRight = key !== null && verify("RSA-SHA256", Buffer.from(text, "latin1"), key, signature);
  return isRight ? { secret: null } : { failed: "wrong-secret" };
};

export const paypal: SenderKind = {
  id: "paypal",
  label: "PayPal",
  secret: { from: "none", where: "nowhere: PayPal signs with certificates of its own" },
  needs: { webhookId: "the Webhook ID on the page of the app, which is signed" },
  schemes: [
    {
      proof: { kind: "code", prove },
      // A retry may have the time of the first try. Each event is taken once, so a day does no harm.
      time: { at: { header: "paypal-transmission-time" }, unit: "iso", toleranceSeconds: 86_400 },
      // The transmission's id may be another one at each try.
      delivery: { at: [{ json: "id" }], signed: false },
    },
  ],
  event: { at: [{ json: "event_type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Id, time, webhook id and a checksum of the body, by RSA with a certificate of PayPal.",
    doesNotCheck:
      "The body beyond its CRC-32, which can be forged for another body: TLS is what protects it. Ask PayPal's API before you act on an amount.",
    retries: `Up to 25 times within three days. Those older than a day are refused. ${unknownRetryTime}`,
    setUp: [
      "Open developer.paypal.com, Apps & Credentials, your app, Add Webhook. Webhook URL: ADDRESS. Choose the events.",
      "Copy the Webhook ID into the config as `webhookId`.",
    ],
    docs: "https://developer.paypal.com/api/rest/webhooks/rest/",
  },
};

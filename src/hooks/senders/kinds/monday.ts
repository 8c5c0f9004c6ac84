import { readField } from "../../../core/field-path.ts";
import { singleHeader } from "../../../http/headers.ts";
import { echoJson, plainWord } from "../handshake.ts";
import type { Prove, SenderKind } from "../kind.ts";
import type { SenderRequest } from "../request.ts";

const toleranceSeconds = 60;
const jwt = /^(?:bearer +)?([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

const prove: Prove = async (request, { now, settings }) => {
  const written = singleHeader(request.rawHeaders, "authorization");
  if (written === undefined) return { failed: "header-missing" };
  const token = typeof written === "string" ? jwt.exec(written.trim())?.[1] : undefined;
  if (token === undefined) return { failed: "malformed" };
  const { jwtVerify } = await import("jose/jwt/verify");
  const options = {
    algorithms: ["HS256"],
    audience: settings.publicUrl ?? "",
    requiredClaims: ["exp"],
    currentDate: new Date(now),
    clockTolerance: toleranceSeconds,
  };
  for (const secret of settings.secrets) {
    const isRight = await jwtVerify(token, Buffer.from(secret, "utf8"), options).then(
      () => true,
      () => false,
    );
    if (isRight) return { secret };
  }
  return { failed: "wrong-secret" };
};

/** The whole body is `{"challenge": word}`. */
function challengeOf(request: SenderRequest): string | null {
  const payload = request.json();
  const challenge = readField(payload, ["challenge"]);
  const isAlone = typeof payload === "object" && payload !== null && Object.keys(payload).length === 1;
  return isAlone && typeof challenge === "string" && plainWord.test(challenge) ? challenge : null;
}

export const monday: SenderKind = {
  id: "monday",
  label: "monday.com",
  secret: { from: "sender", where: "Signing Secret under Basic Information of the app" },
  needs: { publicUrl: "the address as it is entered in monday.com: the token is for it" },
  schemes: [
    {
      proof: { kind: "code", prove },
      delivery: { at: [{ json: "event.triggerUuid" }], signed: false },
    },
  ],
  event: { at: [{ json: "event.type" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "POST",
      asks: (request) => challengeOf(request) !== null,
      answer: (request) => echoJson({ challenge: challengeOf(request) ?? "" }),
    },
  ],
  describe: {
    checks: "The token (JWT, HS256) in `Authorization`: its signature, address and time.",
    doesNotCheck:
      "The body, which the token does not cover. Webhooks that were made on a board by hand have no token.",
    retries: "Once a minute for half an hour.",
    setUp: [
      "Open the Developer Center, your app, Basic Information, and copy the Signing Secret into the config.",
      "Make the webhook with the app's own token (create_webhook), url: ADDRESS. Put the same address into the config as `publicUrl`. monday.com asks once, and Rouse answers.",
    ],
    docs: "https://developer.monday.com/apps/docs/webhooks",
  },
};

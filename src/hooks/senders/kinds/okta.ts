import { singleHeader } from "../../../http/headers.ts";
import { echoJson } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";
import type { SenderRequest } from "../request.ts";

const challengeOf = ({ rawHeaders }: SenderRequest): string | null => {
  const challenge = singleHeader(rawHeaders, "x-okta-verification-challenge");
  return typeof challenge === "string" && challenge.length <= 1024 ? challenge : null;
};

export const okta: SenderKind = {
  id: "okta",
  label: "Okta",
  secret: { from: "us", where: "the field Authentication secret of the event hook" },
  schemes: [
    {
      proof: { kind: "equal", at: [{ header: "authorization" }] },
      delivery: { at: [{ json: "eventId" }], signed: false },
    },
  ],
  event: { at: [{ json: "data.events[0].eventType" }], signed: false },
  replay: "none",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "GET",
      asks: (request) => challengeOf(request) !== null,
      answer: (request) => echoJson({ verification: challengeOf(request) ?? "" }),
    },
  ],
  describe: {
    checks: "The secret in `Authorization`, without a scheme before it.",
    doesNotCheck: "The body: the secret is the same for each event.",
    retries: "Once, after a 5xx or a time-out. The answer must come within 3 seconds.",
    setUp: [
      "Open Workflow, Event Hooks, Create Event Hook. Endpoint URL: ADDRESS.",
      "Authentication field: Authorization. Authentication secret: SECRET. Choose the events.",
      "Save & Continue, then Verify. Okta asks once, and Rouse answers.",
    ],
    docs: "https://developer.okta.com/docs/concepts/event-hooks/",
  },
};

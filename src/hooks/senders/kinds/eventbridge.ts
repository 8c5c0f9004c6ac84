import type { SenderKind } from "../kind.ts";

export const eventbridge: SenderKind = {
  id: "eventbridge",
  label: "Amazon EventBridge",
  secret: { from: "us", where: "Value of the API key in the connection of the API destination" },
  takes: ["header"],
  schemes: [
    {
      proof: { kind: "equal", at: [{ header: "x-api-key" }] },
      delivery: { at: [{ json: "id" }], signed: false },
    },
  ],
  event: { at: [{ json: "detail-type" }], signed: false },
  replay: "none",
  body: { types: ["json"] },
  describe: {
    checks: "The secret in `x-api-key`, or in the header that `header` names.",
    doesNotCheck: "The body: the key is the same for each event.",
    retries: "For up to 24 hours and 185 times. The answer must come within 5 seconds.",
    setUp: [
      "Open EventBridge, API destinations, Connections, Create. Authorization type: API key. API key name: x-api-key. Value: SECRET.",
      "Create an API destination with the endpoint ADDRESS, method POST and that connection.",
      "Choose the API destination as a target of a rule.",
    ],
    docs: "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html",
  },
};

// Parts of signed bytes that stand side by side: their border cannot be moved.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CustomSenderConfig } from "../../config/config.ts";
import { aSenderRequest, isProven, proofOf } from "../../../test/builders/sender.ts";
import { everySigned, signedAt } from "../../../test/fixtures/senders/signed.ts";
import { customFault } from "./custom.ts";
import type { Part, Scheme, SenderKind } from "./kind.ts";
import { senderKinds } from "./kinds/index.ts";

const now = signedAt;
const messageOf = ({ proof }: Scheme): readonly Part[] => ("message" in proof ? proof.message : []);
const isAddress = (part: Part): boolean =>
  part === "url" || part === "url-other-port" || part === "decoded-url";
const isText = (part: Part): part is { text: string } => typeof part === "object" && "text" in part;
const patternOf = (part: Part): RegExp | undefined =>
  typeof part === "object" && "value" in part ? part.pattern : undefined;

/** Whether the border of two neighbours is where the sender put it. */
function hasBorder(left: Part, right: Part, { body }: SenderKind): boolean {
  if (left === "time" || right === "time") return true;
  // One of few words, then our own address, which begins as the config has it.
  if (left === "method" || isAddress(right)) return true;
  // A query has no { and no ", so that JSON ends it.
  if (isAddress(left) && right === "body") return body.types.join() === "json";
  if (isText(right))
    return isText(left) || patternOf(left)?.test(`a${right.text}b`) === false || left === "body";
  return isText(left);
}

test("of two parts side by side, one has a pinned form", () => {
  for (const kind of senderKinds.values())
    for (const scheme of kind.schemes) {
      const message = messageOf(scheme);
      for (const [at, left] of message.slice(0, -1).entries()) {
        const right = message[at + 1]!;
        // Twilio's own weakness, which its row tells.
        if (kind.id === "twilio" && right === "sorted-form") continue;
        assert.ok(hasBorder(left, right, kind), `${kind.id}: ${JSON.stringify([left, right])}`);
      }
    }
});

describe("characters that move from one part into its neighbour are refused", () => {
  const timed = everySigned().filter(({ scheme }) => {
    const { time } = scheme;
    return (
      time !== undefined && "header" in time.at && !("list" in time.at) && messageOf(scheme).includes("body")
    );
  });

  for (const { title, scheme, settings, request } of timed)
    test(title, async () => {
      const { header } = scheme.time!.at as { header: string };
      const time = request.headers[header]!;
      const message = messageOf(scheme);
      const isBefore = message.indexOf("time") < message.indexOf("body");
      const moves = [...Array(8).keys()].flatMap((size): [string, string][] =>
        isBefore
          ? [
              [time.slice(0, -1 - size), time.slice(-1 - size) + request.body],
              [time + request.body.slice(0, size + 1), request.body.slice(size + 1)],
            ]
          : [
              [time.slice(size + 1), request.body + time.slice(0, size + 1)],
              [request.body.slice(-1 - size) + time, request.body.slice(0, -1 - size)],
            ],
      );
      for (const [moved, body] of moves) {
        const headers = { ...request.headers, [header]: moved };
        const result = await proofOf(settings, aSenderRequest({ ...request, headers, body }), { now });
        assert.ok(!isProven(result), `${moved} ${body}`);
      }
    });

  test("twilio: the query of an address is no field of a form", async () => {
    const json = everySigned().find(
      ({ kind, scheme }) => kind.id === "twilio" && scheme.bodyHash !== undefined,
    )!;
    const query = json.request.target.slice(json.request.target.indexOf("?"));
    const body = new URLSearchParams([[query, ""]]).toString();
    const moved = { ...json.request, target: "/hooks/test", body };
    assert.ok(!isProven(await proofOf(json.settings, aSenderRequest(moved), { now })));
  });

  test("the start of a JSON body is no end of a query", async () => {
    for (const { kind, settings, request } of everySigned())
      if (kind.id === "square" || kind.id === "hubspot" || kind.id === "trello") {
        const moved = {
          ...request,
          target: `${request.target}?${request.body.slice(0, 6)}`,
          body: request.body.slice(6),
        };
        assert.ok(!isProven(await proofOf(settings, aSenderRequest(moved), { now })));
      }
  });
});

describe("signed texts of custom senders", () => {
  const custom: CustomSenderConfig = {
    proof: "hmac",
    signature: { header: "x-signature" },
    algorithm: "sha256",
    encoding: "hex",
    key: "text",
    signed: "{body}",
    time: { at: { header: "x-time" }, unit: "s" },
    delivery: { header: "x-id" },
    equalBodies: false,
  };
  const faultOf = (signed: string): string | undefined => customFault({ ...custom, signed })?.message;

  for (const signed of [
    "{body}",
    "{time}{body}",
    "{body}{time}",
    "v0:{time}:{body}",
    "{id}.{time}.{body}",
    "{id}{time}{body}",
  ])
    test(`${signed} can work`, () => assert.equal(faultOf(signed), undefined));
  for (const signed of ["{body}{url}", "{method}{url}.{body}"])
    test(`${signed} can work`, () => assert.equal(faultOf(signed), undefined));
  for (const signed of [
    "{id}{body}",
    "{body}{id}",
    "{body}{header:x-other}",
    "{url}{body}",
    "{time}.{query:a}{body}",
  ])
    test(`${signed} has a border that can be moved`, () =>
      assert.match(faultOf(signed) ?? "", /side by side/));
  test("without the body, nothing is proven", () =>
    assert.match(faultOf("{time}.{id}") ?? "", /must have \{body\}/));
  test("an unknown part is told", () => assert.match(faultOf("{boddy}.{body}") ?? "", /\{boddy\}/));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageStructureObject } from "imapflow";
import { attachmentsIn, textParts } from "./structure.ts";

let part = 0;
const leaf = (type: string, more: Partial<MessageStructureObject> = {}): MessageStructureObject => {
  part += 1;
  return { type, part: String(part), size: 10, ...more };
};
const multi = (kind: string, ...childNodes: MessageStructureObject[]): MessageStructureObject => ({
  type: `multipart/${kind}`,
  childNodes,
});

test("of alternatives, the plain text is read unless it is empty", () => {
  const plain = leaf("text/plain");
  const html = leaf("TEXT/HTML");
  assert.deepEqual(textParts(multi("alternative", plain, html)), [plain]);
  assert.deepEqual(textParts(multi("alternative", leaf("text/plain", { size: 0 }), html)), [html]);
  assert.deepEqual(
    textParts(multi("alternative", leaf("text/calendar"), multi("related", html, leaf("image/png")))),
    [html],
  );
});

test("consecutive texts are all read, attached ones are not", () => {
  const body = leaf("text/html");
  const footer = leaf("text/plain");
  const log = leaf("text/plain", { disposition: "ATTACHMENT", dispositionParameters: { filename: "a.log" } });
  const forwarded = { type: "message/rfc822", childNodes: [leaf("text/plain")] };
  const mail = multi("mixed", body, log, footer, forwarded);
  assert.deepEqual(textParts(mail), [body, footer, ...forwarded.childNodes]);
  assert.deepEqual(attachmentsIn(mail), [{ name: "a.log", type: "text/plain", bytes: 10 }]);
});

test("sizes of attachments are of their content", () => {
  const picture = leaf("IMAGE/PNG", { encoding: "BASE64", size: 400, parameters: { name: "p.png" } });
  assert.deepEqual(attachmentsIn(picture), [{ name: "p.png", type: "image/png", bytes: 300 }]);
  assert.deepEqual([textParts(picture), textParts(undefined), attachmentsIn(undefined)], [[], [], []]);
});

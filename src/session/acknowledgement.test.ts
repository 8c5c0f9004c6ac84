import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinear } from "../../test/support/growth.ts";
import { isAcknowledgement } from "./acknowledgement.ts";

const bare = [
  "HEARTBEAT_OK",
  "  HEARTBEAT_OK\n",
  "HEARTBEAT_OK.",
  "**HEARTBEAT_OK**",
  "__HEARTBEAT_OK__",
  "_HEARTBEAT_OK_",
  "`HEARTBEAT_OK`",
  "```\nHEARTBEAT_OK\n```",
  "```text\nHEARTBEAT_OK\n```",
  "~~~\nHEARTBEAT_OK\n~~~",
  "> HEARTBEAT_OK",
  "# HEARTBEAT_OK!",
  "- HEARTBEAT_OK",
  '"HEARTBEAT_OK"',
  "“HEARTBEAT_OK”",
  "[HEARTBEAT_OK]",
  "<b>HEARTBEAT_OK</b>",
  '<p class="x">HEARTBEAT_OK<br/></p>',
  "HEARTBEAT_OK&nbsp;",
  "HEARTBEAT\\_OK",
  "\uFEFFHEARTBEAT_OK\u200B",
  "HEARTBEAT_OK\nHEARTBEAT_OK",
  "|HEARTBEAT_OK| ~ = + ^",
];

const never = [
  "",
  "   ",
  "OK",
  "heartbeat_ok",
  "HEARTBEAT OK",
  "HEARTBEAT",
  "HEARTBEAT_OKAY",
  "HEARTBEAT_OK2",
  "XHEARTBEAT_OK",
  "**",
];

const talkative = [
  "HEARTBEAT_OK All is well.",
  "All is well. HEARTBEAT_OK",
  "HEARTBEAT_OK 1",
  "HEARTBEAT_OK ✅",
  "HEARTBEAT_OK <urgent>",
  "**HEARTBEAT_OK** – nothing new",
  "Nothing new: `HEARTBEAT_OK`.",
  "<p>HEARTBEAT_OK</p><p>Nothing new.</p>",
];

describe("a reply that is only an acknowledgement", () => {
  for (const heartbeat of [false, true]) {
    for (const reply of bare)
      test(`${JSON.stringify(reply)} is one, heartbeat ${heartbeat}`, () =>
        assert.equal(isAcknowledgement(reply, { heartbeat }), true));
    for (const reply of never)
      test(`${JSON.stringify(reply)} is none, heartbeat ${heartbeat}`, () =>
        assert.equal(isAcknowledgement(reply, { heartbeat }), false));
  }
  for (const reply of talkative)
    test(`${JSON.stringify(reply)} is one only for a heartbeat`, () => {
      assert.equal(isAcknowledgement(reply, { heartbeat: true }), true);
      assert.equal(isAcknowledgement(reply, { heartbeat: false }), false);
    });
});

describe("a heartbeat's reply with other text beside the token", () => {
  const heartbeat = true;
  for (const character of ["x", "🙂"]) {
    test(`300 ${character} are allowed, 301 are not`, () => {
      const most = character.repeat(300);
      assert.equal(isAcknowledgement(`HEARTBEAT_OK ${most}`, { heartbeat }), true);
      assert.equal(isAcknowledgement(`${most}\nHEARTBEAT_OK`, { heartbeat }), true);
      assert.equal(isAcknowledgement(`HEARTBEAT_OK ${most}${character}`, { heartbeat }), false);
      assert.equal(isAcknowledgement(`${most}${character} HEARTBEAT_OK`, { heartbeat }), false);
    });
  }

  test("a token in the middle of a reply is no acknowledgement", () => {
    assert.equal(isAcknowledgement("Never reply HEARTBEAT_OK to this", { heartbeat }), false);
  });

  test("a long hostile reply is decided in time that grows with its length", () => {
    for (const filler of [
      "<",
      "_",
      "\\_",
      "HEARTBEAT_OK ",
      "<b ",
      "` ",
      "\n```",
      "<b a=b ",
      "<b \t",
      "&nbsp;",
    ])
      assertLinear(filler, 25_000, (size) =>
        isAcknowledgement(`${filler.repeat(size)}HEARTBEAT_OK x`, { heartbeat }),
      );
  });
});

// What holds for every scheme of the table: all that it covers counts, and nothing weaker takes its place.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { aSenderRequest, isProven, proofOf } from "../../../test/builders/sender.ts";
import {
  everySigned,
  secretFor,
  type Signed,
  signed,
  signedAt,
} from "../../../test/fixtures/senders/signed.ts";
import { cases } from "../../../test/support/cases.ts";
import type { Scheme } from "./kind.ts";
import type { SenderRequest } from "./request.ts";

const now = signedAt;
const all = everySigned();
const withHeader = all.filter((each): each is Signed & { header: string } => each.header !== null);
const messageOf = ({ proof }: Scheme) => ("message" in proof ? proof.message : []);
const coversBody = (scheme: Scheme): boolean =>
  scheme.bodyHash !== undefined ||
  messageOf(scheme).some((part) => part === "body" || part === "sorted-form");

const proves = async ({ settings }: Signed, request: SenderRequest, at = now): Promise<boolean> =>
  isProven(await proofOf(settings, request, { now: at }));

const withChanged = ({ request }: Signed, name: string, value: string): SenderRequest =>
  aSenderRequest({ ...request, headers: { ...request.headers, [name]: value } });

const flipped = (text: string, bit: number): string => {
  const bytes = Buffer.from(text, "latin1");
  const at = bit % (bytes.length * 8);
  bytes[at >> 3]! ^= 1 << (at & 7);
  return bytes.toString("latin1");
};

const fieldsOf = (form: string): string => new URLSearchParams(form).toString();

const bits = fc.nat({ max: 1_000_000 });

test("the table has a request for each of its schemes", async () => {
  assert.ok(all.length >= 55, String(all.length));
  for (const each of all)
    assert.deepEqual([each.title, await proves(each, aSenderRequest(each.request))], [each.title, true]);
});

describe("any one bit changed is refused", () => {
  for (const each of all.filter(({ scheme }) => coversBody(scheme)))
    test(`in the body: ${each.title}`, async () => {
      await fc.assert(
        fc.asyncProperty(bits, async (bit) => {
          const body = Buffer.from(flipped(each.request.body, bit), "latin1");
          // A form has several spellings of the same fields.
          const isSame = fieldsOf(String(body)) === fieldsOf(each.request.body);
          if (isSame && each.kind.id === "twilio" && !each.scheme.bodyHash) return;
          assert.equal(await proves(each, aSenderRequest({ ...each.request, body })), false);
        }),
        cases(40),
      );
    });

  for (const each of withHeader)
    test(`in the header: ${each.title}`, async () => {
      const honest = each.request.headers[each.header]!;
      const isHex = "encoding" in each.scheme.proof && each.scheme.proof.encoding === "hex";
      for (let bit = 0; bit < honest.length * 8; bit++) {
        const value = flipped(honest, bit);
        // Hex in capitals is the same signature.
        if (isHex && value.toLowerCase() === honest.toLowerCase()) continue;
        assert.equal(await proves(each, withChanged(each, each.header, value)), false, value);
      }
    });

  const covered = withHeader.flatMap((each) => coveredHeaders(each).map((name) => ({ each, name })));
  for (const { each, name } of covered)
    test(`in ${name}: ${each.title}`, async () => {
      const honest = each.request.headers[name]!;
      for (let bit = 0; bit < honest.length * 8; bit++) {
        const value = flipped(honest, bit);
        assert.equal(await proves(each, withChanged(each, name, value)), false, value);
      }
    });
});

/** The time's header and that of a signed id. */
function coveredHeaders({ scheme, header }: Signed & { header: string }): string[] {
  const ids = scheme.delivery?.signed === true ? scheme.delivery.at : [];
  const isTimeSigned = messageOf(scheme).includes("time");
  const places = [...(scheme.time && isTimeSigned ? [scheme.time.at] : []), ...ids];
  const names = places.flatMap((place) => ("header" in place ? [place.header] : []));
  return names.filter((name) => name !== header);
}

describe("headers that are not as they must be", () => {
  for (const each of withHeader) {
    const { header, request, settings } = each;
    const value = request.headers[header]!;
    const others = Object.entries(request.headers).filter(([name]) => name !== header);
    const refused = async (headers: readonly (readonly [string, string])[]): Promise<void> => {
      const result = await proofOf(settings, aSenderRequest({ ...request, headers }), { now });
      assert.ok(!isProven(result), JSON.stringify(headers));
    };

    test(`missing, empty, cut or repeated: ${each.title}`, async () => {
      await refused(others);
      await refused([...others, [header, ""]]);
      for (let length = 1; length < value.length; length++)
        await refused([...others, [header, value.slice(0, length)]]);
      await refused([...others, [header, value], [header, value]]);
      await refused([...others, [header, value], [header.toUpperCase(), "other"]]);
      await refused([...others, [header, "other"], [header, value]]);
    });

    for (const name of coveredHeaders(each))
      test(`missing, empty or repeated ${name}: ${each.title}`, async () => {
        const rest = Object.entries(request.headers).filter(([other]) => other !== name);
        const own = request.headers[name]!;
        await refused(rest);
        await refused([...rest, [name, ""]]);
        await refused([...rest, [name, own], [name, own]]);
      });
  }
});

describe("secrets", () => {
  const shared = all.filter(({ settings }) => settings.secrets.length > 0);
  for (const each of shared)
    test(`each of several counts, a foreign one does not: ${each.title}`, async () => {
      const [own = ""] = each.settings.secrets;
      const foreign = ["one", "two"].map((text) => secretFor(each.kind, each.scheme, text));
      const request = aSenderRequest(each.request);
      for (const secrets of [
        [own, ...foreign],
        [...foreign, own],
        [foreign[0]!, own, foreign[1]!],
      ]) {
        const result = await proofOf({ ...each.settings, secrets }, request, { now });
        assert.equal(isProven(result) && result.secret, own);
      }
      const result = await proofOf({ ...each.settings, secrets: foreign }, request, { now });
      assert.deepEqual(result, { failed: "wrong-secret" });
    });

  for (const each of all.filter(({ settings }) => settings.publicKeys.length > 0))
    test(`a key of the wrong kind proves nothing: ${each.title}`, async () => {
      const settings = { ...each.settings, publicKeys: [] };
      assert.ok(!isProven(await proofOf(settings, aSenderRequest(each.request), { now })));
    });
});

describe("times", () => {
  for (const each of all.filter(({ scheme }) => scheme.time !== undefined))
    test(`count to the tolerance, and no further: ${each.title}`, async () => {
      const { kind, scheme, settings } = each;
      const toleranceMs = scheme.time!.toleranceSeconds * 1000;
      const at = async (skewMs: number) => {
        const { request } = signed(kind, scheme, { now: now + skewMs });
        return proofOf(settings, aSenderRequest(request), { now });
      };
      for (const skewMs of [-toleranceMs, 0, toleranceMs]) assert.ok(isProven(await at(skewMs)), `${skewMs}`);
      const [old, early] = [-toleranceMs - 1000, toleranceMs + 1000];
      assert.deepEqual(await at(old), { failed: "too-old", skewMs: old });
      assert.deepEqual(await at(early), { failed: "too-new", skewMs: early });
      const { request } = signed(kind, scheme, { now: now + old });
      const wider = { ...settings, toleranceSeconds: toleranceMs / 1000 + 1 };
      assert.ok(isProven(await proofOf(wider, aSenderRequest(request), { now })));
    });
});

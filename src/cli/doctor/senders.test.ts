import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { configOf, gatewayToken, hookToken } from "../../../test/fixtures/config.ts";
import { type CallCount, type CallResult, callResults, type SenderRecord } from "../../core/sender.ts";
import { checkSenders } from "./senders.ts";

const senders = {
  github: { kind: "github", secret: "a secret of the tests" },
  notion: { kind: "notion" },
  shop: { kind: "square", secret: "another secret of the tests", publicUrl: "https://h.example.com/in/shop" },
};

const configWith = (names: readonly (keyof typeof senders)[], enabled = true) =>
  configOf({
    gateway: { auth: { token: gatewayToken } },
    hooks: {
      enabled,
      token: hookToken,
      senders: Object.fromEntries(names.map((name) => [name, senders[name]])),
      mappings: names.map((path) => ({ match: { path }, messageTemplate: "x" })),
    },
  });

const noon = Date.UTC(2026, 10, 19, 12);
const minute = 60_000;

const call = (result: CallResult, lastAt: number, skewMs: number | null = null): CallCount => ({
  result,
  calls: 3,
  lastAt,
  skewMs,
});

const check = (name: keyof typeof senders, calls: CallCount[], more: Partial<SenderRecord> = {}) =>
  checkSenders(configWith([name]), [{ name, calls, keyTakenAt: null, pairingMs: null, ...more }]);

test("without senders, or with hooks off, nothing is said; without a store nothing is known", () => {
  assert.deepEqual(checkSenders(configWith([]), []), []);
  assert.deepEqual(checkSenders(configWith(["github"], false), []), []);
  const [finding, ...rest] = checkSenders(configWith(["github", "shop"]), null);
  assert.match(finding?.message ?? "", /^not checked/);
  assert.deepEqual(rest, []);
});

test("a sender that never called: its address, and rouse expose where it has no public one", () => {
  const [github, shop] = checkSenders(configWith(["github", "shop"]), []);
  assert.deepEqual(github, {
    check: "sender github",
    status: "warn",
    message: "has never called",
    fix: "At GitHub, the address must be https://YOUR-HOST/hooks/github; without a public address: rouse expose github",
  });
  assert.equal(shop?.fix, "At Square, the address must be https://h.example.com/in/shop");
});

test("failures before the last success are over; later ones are told with what to do about the newest", () => {
  const success = call("proven", noon, -400);
  assert.deepEqual(check("github", [success, call("wrong-secret", noon - minute)]), [
    { check: "sender github", status: "ok", message: "last proven at 2026-11-19T12:00:00Z", fix: null },
  ]);
  const older = [call("malformed", noon - minute), call("header-missing", noon + minute)];
  const [finding] = check("github", [success, ...older, call("wrong-secret", noon + 2 * minute)]);
  assert.equal(finding?.status, "warn");
  assert.equal(
    finding.message,
    "last proven at 2026-11-19T12:00:00Z; failing since: wrong-secret (3 in all, the last at 2026-11-19T12:02:00Z), header-missing (3 in all, the last at 2026-11-19T12:01:00Z)",
  );
  assert.match(finding.fix ?? "", /^Compare the secret with the one at GitHub/);
  assert.doesNotMatch(finding.fix ?? "", /publicUrl/);
});

test("without any success, every class has a line that says what to do, as the documentation does", () => {
  const documented = readFileSync(new URL("../../../docs/senders.md", import.meta.url), "utf8");
  const fixes = new Set<string>();
  for (const result of callResults.filter((each) => each !== "proven")) {
    const [finding] = check("github", [call(result, noon, -412_000)]);
    assert.equal(finding?.status, "warn", result);
    assert.match(finding.message, new RegExp(`^no call was ever proven; failing since: ${result} `));
    assert.equal(finding.message.includes("412 s behind"), result === "too-old" || result === "too-new");
    assert.ok((finding.fix ?? "").length > 20 && !finding.fix?.includes("\n"), result);
    fixes.add(finding.fix ?? "");
    assert.match(documented, new RegExp(`^\\|.*\`${result}\`.*\\|.*\\|$`, "m"));
  }
  assert.equal(fixes.size, callResults.length - 2, "only the two of time are the same");
});

test("a wrong secret of a sender that signs the address may be a wrong publicUrl", () => {
  const [finding] = check("shop", [call("wrong-secret", noon)]);
  assert.match(finding?.fix ?? "", /publicUrl must be .* now https:\/\/h\.example\.com\/in\/shop$/);
});

test("a clock more than ten seconds off, by proven calls only", () => {
  const clockOf = (calls: CallCount[]) =>
    check("github", calls).find((finding) => finding.check === "sender github clock");
  assert.equal(clockOf([call("proven", noon, 10_000)]), undefined);
  assert.equal(clockOf([call("proven", noon), call("too-old", noon - 1, -900_000)]), undefined);
  const ahead = clockOf([call("proven", noon, 11_000)]);
  assert.deepEqual([ahead?.status, ahead?.message], ["warn", "its clock is not ours: 11 s ahead"]);
  assert.match(clockOf([call("proven", noon, -11_000)])?.fix ?? "", /on the way/);
});

test("a key that arrives by request: missing, awaited, there", () => {
  const [missing] = check("notion", [call("not-paired", noon)]);
  assert.deepEqual([missing?.status, missing?.fix], ["warn", "rouse senders pair notion"]);
  assert.equal(check("notion", [], { pairingMs: 5000 })[0]?.status, "ok");
  const [there] = check("notion", [], { keyTakenAt: noon });
  assert.deepEqual([there?.status, there?.message], ["warn", "has never called"]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { createGuard } from "./guard.ts";

const guard = createGuard(["right-token", "next-token"]);
const cases: [string, string[], "ok" | "wrong" | "repeated"][] = [
  ["bearer", ["Authorization", "Bearer right-token"], "ok"],
  ["the second token of a rotation", ["authorization", "Bearer next-token"], "ok"],
  ["scheme in any case, blanks around", ["AUTHORIZATION", "  bEARER \t right-token \t"], "ok"],
  ["own header", ["X-Gateway-Token", " right-token "], "ok"],
  ["nothing", [], "wrong"],
  ["wrong", ["Authorization", "Bearer wrong-token"], "wrong"],
  ["prefix of a right one", ["Authorization", "Bearer right-toke"], "wrong"],
  ["case matters in the token", ["Authorization", "Bearer RIGHT-TOKEN"], "wrong"],
  ["bearer decides over the other", ["Authorization", "Bearer x", "x-gateway-token", "right-token"], "wrong"],
  ["right bearer with wrong other", ["Authorization", "Bearer right-token", "x-gateway-token", "x"], "ok"],
  ["empty bearer falls through", ["Authorization", "Bearer ", "x-gateway-token", "right-token"], "ok"],
  ["bare bearer falls through", ["Authorization", "Bearer", "x-gateway-token", "right-token"], "ok"],
  ["other scheme falls through", ["Authorization", "Basic abc", "x-gateway-token", "right-token"], "ok"],
  ["no scheme is no bearer", ["Authorization", "right-token"], "wrong"],
  ["scheme glued to the token", ["Authorization", "Bearerright-token"], "wrong"],
  [
    "two authorizations",
    ["Authorization", "Bearer right-token", "authorization", "Bearer right-token"],
    "repeated",
  ],
  ["two own headers", ["x-gateway-token", "right-token", "X-Gateway-Token", "right-token"], "repeated"],
  [
    "two own beside a right bearer",
    ["Authorization", "Bearer right-token", "x-gateway-token", "a", "x-gateway-token", "a"],
    "repeated",
  ],
];

for (const [name, headers, expected] of cases) {
  test(name, () => assert.equal(guard.check(["Host", "x", ...headers]), expected));
}

test("a token beyond ASCII is compared by its bytes, even if it ends like a no-break space", () => {
  const token = "schlüssel-à";
  const header = Buffer.from(token, "utf8").toString("latin1");
  assert.equal(createGuard([token]).check(["x-gateway-token", header]), "ok");
  assert.equal(createGuard([token]).check(["x-gateway-token", header.slice(0, -1)]), "wrong");
});

test("without configured tokens every token is wrong", () => {
  assert.equal(createGuard([]).check(["x-gateway-token", "a"]), "wrong");
  assert.equal(createGuard([""]).check(["x-gateway-token", ""]), "wrong");
});

test("a long token is compared whole, and a longer one than any is wrong", () => {
  const token = "x".repeat(1000);
  const long = createGuard(["short", token]);
  assert.equal(long.check(["x-gateway-token", token]), "ok");
  assert.equal(long.check(["x-gateway-token", "short"]), "ok");
  for (const other of [`${token}x`, token.slice(1), `${token.slice(1)}y`])
    assert.equal(long.check(["x-gateway-token", other]), "wrong");
  assert.equal(guard.check(["x-gateway-token", token]), "wrong");
});

test("a comparison leaves nothing behind for the next, and padding matches no character", () => {
  assert.equal(guard.check(["x-gateway-token", "right-token"]), "ok");
  assert.equal(guard.check(["x-gateway-token", "right"]), "wrong");
  assert.equal(createGuard(["right\u0000"]).check(["x-gateway-token", "right"]), "wrong");
});

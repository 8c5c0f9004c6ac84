import assert from "node:assert/strict";
import test from "node:test";
import { createClientAddress, parseAddress } from "./client-address.ts";

const forwarded = (...values: string[]) => [
  "Host",
  "x",
  ...values.flatMap((value) => ["X-Forwarded-For", value]),
];

test("without trusted proxies the peer counts and the header is ignored", () => {
  const address = createClientAddress([]);
  assert.equal(address("192.0.2.1", forwarded("198.51.100.7")), "192.0.2.1");
  assert.equal(address(undefined, []), "unknown");
});

test("IPv6 counts by /64, IPv4-mapped as IPv4", () => {
  const address = createClientAddress([]);
  assert.equal(address("2001:db8:1:2:3:4:5:6", []), "2001:db8:1:2::/64");
  assert.equal(address("2001:DB8:1:2::9", []), "2001:db8:1:2::/64");
  assert.equal(address("2001:db8:1:3::9", []), "2001:db8:1:3::/64");
  assert.equal(address("::1", []), "0:0:0:0::/64");
  assert.equal(address("fe80::1%eth0", []), "fe80:0:0:0::/64");
  assert.equal(address("::ffff:192.0.2.1", []), "192.0.2.1");
  assert.equal(address("::ffff:c000:201", []), "192.0.2.1");
});

test("behind trusted proxies the header is read from the right", () => {
  const address = createClientAddress(["10.0.0.0/8", "192.0.2.1", "fd00::/8"]);
  assert.equal(address("203.0.113.1", forwarded("198.51.100.7")), "203.0.113.1");
  assert.equal(address("10.1.2.3", forwarded("198.51.100.7")), "198.51.100.7");
  assert.equal(address("::ffff:10.1.2.3", forwarded("198.51.100.7")), "198.51.100.7");
  assert.equal(address("10.1.2.3", forwarded("1.1.1.1, 198.51.100.7, 10.9.9.9")), "198.51.100.7");
  assert.equal(address("10.1.2.3", forwarded("1.1.1.1", "198.51.100.7,192.0.2.1")), "198.51.100.7");
  assert.equal(address("fd00::5", forwarded("2001:db8::1")), "2001:db8:0:0::/64");
  assert.equal(address("10.1.2.3", forwarded("10.0.0.7")), "10.0.0.7");
});

test("a hop that is no address ends the search at the proxy that wrote it", () => {
  const address = createClientAddress(["10.0.0.0/8"]);
  assert.equal(address("10.1.2.3", forwarded("1.1.1.1, unknown, 10.9.9.9")), "10.9.9.9");
  assert.equal(address("10.1.2.3", forwarded("1.1.1.1, ")), "10.1.2.3");
  assert.equal(address("10.1.2.3", []), "10.1.2.3");
});

test("ports, brackets and zones are removed", () => {
  assert.equal(parseAddress(" 192.0.2.1:8080 "), "192.0.2.1");
  assert.equal(parseAddress("[2001:db8::1]:443"), "2001:db8::1");
  assert.equal(parseAddress("[2001:db8::1]"), "2001:db8::1");
  assert.equal(parseAddress("fe80::1%eth0"), "fe80::1");
  for (const bad of ["", "unknown", "1.2.3", "[::1", "[x]:1", "1.2.3.4:x", "_hidden", "999.1.1.1"]) {
    assert.equal(parseAddress(bad), null, bad);
  }
});

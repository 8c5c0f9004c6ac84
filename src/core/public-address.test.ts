import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress } from "./public-address.ts";

const refused = {
  "this network": ["0.0.0.0", "0.1.2.3"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  "shared by a provider": ["100.64.0.0", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.255.255.255", "::1"],
  "link-local": ["169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
  protocols: ["192.0.0.1", "192.0.0.170", "2001::1", "2001:1::1", "2001:10::1", "2001:20::1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"],
  benchmarks: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  relays: ["192.88.99.1", "2002:7f00:1::1", "2002:808:808::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  reserved: ["240.0.0.1", "255.255.255.255", "5f00::1", "4000::1", "100::1"],
  unspecified: ["::"],
  "unique local": ["fc00::1", "fdff::1"],
  "site-local": ["fec0::1"],
  "IPv4 in IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:8.8.8.8",
  ],
  "translated (NAT64)": ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
  "no address": ["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5", "8.8.8.8 ", "[::1]"],
};

for (const [what, addresses] of Object.entries(refused)) {
  test(`not public: ${what}`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });
}

test("addresses next to reserved ranges are public", () => {
  const open = [
    "8.8.8.8",
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
  ];
  const more = [
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
  ];
  const six = ["2606:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2a00:1450:4001::1", "3ffe::1"];
  for (const address of [...open, ...more, ...six]) assert.equal(isPublicAddress(address), true, address);
});

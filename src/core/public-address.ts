// Tells public internet addresses from reserved ones, by IANA's special-purpose registries.
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

const reserved4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

/** Everything else in IPv6 is local, reserved, or an IPv4 address in disguise. */
const unicast6 = blockList("ipv6", [["2000::", 3]]);

/** Within it: protocols (Teredo among them), documentation, 6to4. */
const reserved6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

function blockList(family: "ipv4" | "ipv6", ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [start, bits] of ranges) list.addSubnet(start, bits, family);
  return list;
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return unicast6.check(address, "ipv6") && !reserved6.check(address, "ipv6");
}

/** A host, as an URL has it, that is an address of this machine or of a private network, or names this machine. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return isIP(host) !== 0 && !isPublicAddress(host);
}

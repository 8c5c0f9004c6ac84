// Who sent a request: the peer, or behind trusted proxies the nearest hop that is not one of them.
import { BlockList, isIP, isIPv4 } from "node:net";
import { listHeader } from "./headers.ts";

export type ClientAddress = (remoteAddress: string | undefined, rawHeaders: readonly string[]) => string;

/** `trustedProxies`: valid addresses and CIDR ranges. Returns the key by which failures are counted. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const each of trustedProxies) addRange(trusted, each);
  const isTrusted = (address: string): boolean =>
    trustedProxies.length > 0 && trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");

  return (remoteAddress, rawHeaders) => {
    let current = parseAddress(remoteAddress ?? "");
    if (current === null) return "unknown";
    if (!isTrusted(current)) return bucket(current);
    const hops = listHeader(rawHeaders, "x-forwarded-for").split(",");
    while (isTrusted(current)) {
      const hop = parseAddress(hops.pop() ?? "");
      if (hop === null) break;
      current = hop;
    }
    return bucket(current);
  };
}

function addRange(list: BlockList, range: string): void {
  const [written = "", prefix] = range.trim().split("/");
  const address = parseAddress(written) ?? written;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  if (prefix === undefined) return list.addAddress(address, family);
  const wasMapped = family === "ipv4" && written.includes(":");
  list.addSubnet(address, wasMapped ? Math.max(0, Number(prefix) - 96) : Number(prefix), family);
}

/** The address in a hop as proxies write it: without brackets, port or zone; IPv4-mapped ones as IPv4. */
export function parseAddress(written: string): string | null {
  let address = written.trim();
  if (address.startsWith("[")) {
    const match = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(address);
    if (match === null) return null;
    address = match[1]!;
  } else if (/^[\d.]+:\d{1,5}$/.test(address)) address = address.slice(0, address.indexOf(":"));
  const zone = address.indexOf("%");
  if (zone !== -1) address = address.slice(0, zone);
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6) return null;
  const groups = ipv6Groups(address);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return mapped ? ipv4Of(groups[6]!, groups[7]!) : address.toLowerCase();
}

/** IPv6 is counted by /64, the smallest network that one site gets. */
function bucket(address: string): string {
  if (isIPv4(address)) return address;
  const network = ipv6Groups(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

function ipv6Groups(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = groupsOf(head);
  if (tail === undefined) return left;
  const right = groupsOf(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

const ipv4Of = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

// Whether a host is this machine itself.
import { isIPv4 } from "node:net";

export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

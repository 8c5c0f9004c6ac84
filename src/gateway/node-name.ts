// The name of this gateway process, kept with the attempts it makes.
import { hostname } from "node:os";

/** The host and the port tell two gateways of one host apart; where the system chooses the port, the process's id does. */
export const nodeName = (port: number, host = hostname(), pid = process.pid): string =>
  port === 0 ? `${host}#${pid}` : `${host}:${port}`;

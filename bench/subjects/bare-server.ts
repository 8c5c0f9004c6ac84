// The bare node:http server, and the same with a flush to disk before it responds.
import { join } from "node:path";
import { messageFrom, type Lab } from "../lab.ts";
import type { Subject } from "./subject.ts";

export async function startBareServer(lab: Lab, { flushes = false } = {}): Promise<Subject> {
  const child = flushes ? lab.start("bare-server", join(lab.folder(), "kept")) : lab.start("bare-server");
  return { child, ...(await messageFrom<{ port: number }>(child)) };
}

// The bare node:http server.
import { messageFrom, type Lab } from "../lab.ts";
import type { Subject } from "./subject.ts";

export async function startFloor(lab: Lab): Promise<Subject> {
  const child = lab.start("floor");
  return { child, ...(await messageFrom<{ port: number }>(child)) };
}

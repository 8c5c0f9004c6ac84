// The watch finds what holds a loop, and only that.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Hold, isTooLong } from "./held.ts";

const program = fileURLToPath(new URL("./held-check.ts", import.meta.url));
const holdsOf = async (work: string): Promise<Hold[]> =>
  JSON.parse((await promisify(execFile)(process.execPath, [program, work])).stdout) as Hold[];

test("one long piece of work is a hold, and many short ones are none", async () => {
  const [long, short, left] = await Promise.all(["long", "short", "left-out"].map(holdsOf));
  assert.equal(long!.filter(isTooLong).length, 1, JSON.stringify(long));
  assert.match(long!.find(isTooLong)!.in!.join(), /work \(fuzz\/held-check\.ts:\d+\) \d+ ms/);
  assert.ok(!short!.some(isTooLong), JSON.stringify(short));
  assert.ok(!left!.some(isTooLong), JSON.stringify(left));
});

// Checks the machine: Node.js and the disk.
import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import { faultKind } from "../../core/errors.ts";
import { fail, type Finding, notChecked, ok, warn } from "./finding.ts";

const oldestNode = 24;
const megabyte = 1024 * 1024;
const tooLittleBytes = 100 * megabyte;
const littleBytes = 1024 * megabyte;

export function checkNode(version: string): Finding {
  const major = Number(version.split(".", 1)[0]);
  return major >= oldestNode
    ? ok("node", `Node.js ${version}`)
    : fail("node", `Node.js ${version} is too old`, `Install Node.js ${oldestNode} or newer.`);
}

export function checkDisk({ store, file }: Pick<Config, "store" | "file">): Finding {
  const folder = existingFolder(store.url === null ? dirname(store.path) : dirname(file));
  let freeBytes: number;
  try {
    const { bavail, bsize } = statfsSync(folder);
    freeBytes = bavail * bsize;
  } catch (fault) {
    return notChecked("disk space", `${folder} could not be read (${faultKind(fault)})`);
  }
  return judgeDisk(folder, freeBytes);
}

export function judgeDisk(folder: string, freeBytes: number): Finding {
  const message = `${Math.floor(freeBytes / megabyte)} MB free in ${folder}`;
  const fix = "Free some space: without it requests are refused with 503.";
  if (freeBytes < tooLittleBytes) return fail("disk space", message, fix);
  return freeBytes < littleBytes ? warn("disk space", message, fix) : ok("disk space", message);
}

/** The folder itself, or the nearest parent that exists. */
export function existingFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) if (existsSync(at) || at === dirname(at)) return at;
}

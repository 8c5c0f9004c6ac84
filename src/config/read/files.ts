// Reading the files a configuration is made of, and remembering what was in them.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { faultKind } from "../../core/errors.ts";

const largestFileBytes = 4_194_304;

export class UnreadableFile extends Error {
  override name = "UnreadableFile";
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The text of a file that is one: no folder, no device that never ends, no bytes that are not UTF-8. */
function readText(path: string): string {
  const about = statSync(path);
  if (!about.isFile() && !about.isFIFO()) throw new UnreadableFile("it is not a file");
  if (about.size > largestFileBytes) throw new UnreadableFile("it is too large");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (fault) {
    throw fault instanceof TypeError ? new UnreadableFile("it is not UTF-8") : fault;
  }
}

export type FileReader = {
  read: (path: string) => string;
  /** Every file asked for so far, in order. */
  files: () => readonly string[];
  /** Changes when the content of any of these does, or whether it can be read. */
  fingerprint: () => string;
};

export function createFileReader(): FileReader {
  const digest = createHash("sha256");
  const files: string[] = [];
  return {
    read(path) {
      files.push(path);
      try {
        const text = readText(path);
        digest.update(JSON.stringify([path, text]));
        return text;
      } catch (fault) {
        digest.update(JSON.stringify([path, null, faultKind(fault)]));
        throw fault;
      }
    },
    files: () => files,
    fingerprint: () => digest.copy().digest("base64url"),
  };
}

/** The fingerprint a reader has after reading these files, readable or not. */
export function fingerprintOf(files: readonly string[]): string {
  const reader = createFileReader();
  for (const file of files) {
    try {
      reader.read(file);
    } catch {
      continue;
    }
  }
  return reader.fingerprint();
}

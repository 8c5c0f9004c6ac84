// Reads the files of a configuration, and fingerprints their content.
import { createHash, type Hash } from "node:crypto";
import { constants, readFileSync, type Stats, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";
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

/** Refuses folders, devices that never end, and files that are too large for a configuration. */
function refuseUnreadable(about: Stats): void {
  if (!about.isFile() && !about.isFIFO()) throw new UnreadableFile("it is not a file");
  if (about.size > largestFileBytes) throw new UnreadableFile("it is too large");
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("it is not UTF-8");
  }
}

function readText(path: string): string {
  refuseUnreadable(statSync(path));
  return decodeText(readFileSync(path));
}

const addText = (digest: Hash, path: string, text: string): void =>
  void digest.update(JSON.stringify([path, text]));
const addFault = (digest: Hash, path: string, fault: unknown): void =>
  void digest.update(JSON.stringify([path, null, faultKind(fault)]));

export type FileReader = {
  read: (path: string) => string;
  /** Every file that was asked for, in order. */
  files: () => readonly string[];
  /** Changes when the content of one of them does, or whether it can be read. */
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
        addText(digest, path, text);
        return text;
      } catch (fault) {
        addFault(digest, path, fault);
        throw fault;
      }
    },
    files: () => files,
    fingerprint: () => digest.copy().digest("base64url"),
  };
}

/**
 * The fingerprint that a reader has after reading these files, made without blocking the event loop. Null when one of
 * them is a pipe, which can be read only once.
 */
export async function scanFiles(files: readonly string[]): Promise<string | null> {
  const digest = createHash("sha256");
  for (const path of files) {
    try {
      const text = await scanText(path);
      if (text === null) return null;
      addText(digest, path, text);
    } catch (fault) {
      addFault(digest, path, fault);
    }
  }
  return digest.digest("base64url");
}

async function scanText(path: string): Promise<string | null> {
  const about = await stat(path);
  refuseUnreadable(about);
  if (!about.isFile()) return null;
  // Without blocking: a pipe may have taken the file's name since.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return decodeText(await file.readFile());
  } finally {
    await file.close();
  }
}

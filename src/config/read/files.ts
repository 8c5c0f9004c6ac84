// Reads the files of a configuration, and fingerprints their content.
import { createHash, type Hash } from "node:crypto";
import { faultKind } from "../../core/errors.ts";
import { readRegularFile, readRegularFileSync, UnreadableFile } from "./regular-file.ts";

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("it is not UTF-8");
  }
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
        const text = decodeText(readRegularFileSync(path));
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

/** The fingerprint that a reader has after reading these files, made without blocking the event loop. */
export async function scanFiles(files: readonly string[]): Promise<string> {
  const digest = createHash("sha256");
  for (const path of files) {
    try {
      addText(digest, path, decodeText(await readRegularFile(path)));
    } catch (fault) {
      addFault(digest, path, fault);
    }
  }
  return digest.digest("base64url");
}

// The read tool: a text file, a page at a time.
import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { Refusal } from "./fault.ts";
import { openFolderOf, openToRead } from "./folder.ts";
import { findExisting, quoted, type ResolvedPath } from "./path.ts";

export const pageBytes = 90_000;

export async function readPage(
  root: string,
  { path, offset = 0 }: { path: string; offset?: number | undefined },
): Promise<string> {
  const found = await findExisting(root, path);
  const handle = await openFound(root, found);
  try {
    const { size } = await handle.stat();
    if (size === 0) return "The file is empty.";
    if (offset >= size) throw new Refusal(`${quoted(found.shown)} ends at ${size}: use a smaller offset.`);
    const bytes = await readUpTo(handle, offset, pageBytes);
    const { start, end } = wholeCharacters(bytes, offset > 0, offset + bytes.length < size);
    const text = decode(bytes.subarray(start, end));
    if (text === null) throw new Refusal(`${quoted(found.shown)} is not UTF-8 text and cannot be read.`);
    return text + note(offset + start, offset + end, size);
  } finally {
    await handle.close();
  }
}

async function openFound(root: string, found: ResolvedPath): Promise<FileHandle> {
  if (found.real === root) throw new Refusal(`${quoted(found.shown)} is a folder. Use the list tool.`);
  const folder = await openFolderOf(root, found);
  try {
    return await openToRead(folder, basename(found.real), found.shown);
  } finally {
    await folder.close();
  }
}

function note(from: number, to: number, size: number): string {
  if (from === 0 && to >= size) return "";
  const more = to < size ? ` Read on with offset ${to}.` : "";
  return `\n\n[Bytes ${from} to ${to} of ${size}.${more}]`;
}

export async function readUpTo(handle: FileHandle, from: number, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(bytes, length, most - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The page without half a character at either end. */
export function wholeCharacters(
  bytes: Buffer,
  startsWithin: boolean,
  endsWithin: boolean,
): { start: number; end: number } {
  let start = 0;
  while (startsWithin && start < 3 && isContinuation(bytes[start])) start++;
  let end = bytes.length;
  if (endsWithin) {
    let last = end - 1;
    while (last > start && last > end - 4 && isContinuation(bytes[last])) last--;
    if (last + lengthFrom(bytes[last] ?? 0) > end) end = last;
  }
  return { start, end };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const lengthFrom = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1);

/** Null where it is not text. */
export function decode(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

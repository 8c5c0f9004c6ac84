// Reads a file that the configuration names, whole. Only a regular file: opening a pipe waits for its other end, opening
// a device can have an effect, and reading one may never end.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";

const largestFileBytes = 4_194_304;
const chunkBytes = 65_536;
/** Another file can take the name after the first check, so opening must not wait, and the open file is checked again. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export class UnreadableFile extends Error {
  override name = "UnreadableFile";
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function refuseUnreadable(about: Stats): void {
  if (about.isDirectory()) throw new UnreadableFile("it is a folder, not a file");
  if (!about.isFile()) throw new UnreadableFile("it is not a regular file");
  if (about.size > largestFileBytes) throw new UnreadableFile("it is too large");
}

/** The event loop goes on meanwhile. */
export async function readRegularFile(path: string): Promise<Buffer> {
  refuseUnreadable(await stat(path));
  const file = await open(path, flags);
  try {
    refuseUnreadable(await file.stat());
    const chunks: Buffer[] = [];
    const stream = file.createReadStream({ autoClose: false, end: largestFileBytes });
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    return joined(chunks);
  } finally {
    await file.close();
  }
}

export function readRegularFileSync(path: string): Buffer {
  refuseUnreadable(statSync(path));
  const file = openSync(path, flags);
  try {
    refuseUnreadable(fstatSync(file));
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes <= largestFileBytes; bytes += chunks.at(-1)!.length) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const read = readSync(file, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
    }
    return joined(chunks);
  } finally {
    closeSync(file);
  }
}

/** Checks what was read as well: a file can grow, and those of `/proc` say that they are empty. */
function joined(chunks: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  if (bytes.length > largestFileBytes) throw new UnreadableFile("it is too large");
  return bytes;
}

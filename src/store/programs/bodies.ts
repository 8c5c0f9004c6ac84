// The body of a kept request as a text column: as it is where both databases can hold it, which is nearly always; else
// compressed, or in base64. Large bodies are compressed.
import { isUtf8 } from "node:buffer";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

const textMark = "text:";
const compressedMark = "zstd:";
const bytesMark = "bytes:";
/**
 * Compressing takes the thread that serves requests: for a small body, longer than storing it. A body of this size and
 * what is kept beside it fit on a page of PostgreSQL, which would compress more by itself.
 */
const mostPlain = 7_168;
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function packBody(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length > mostPlain) return compressedMark + zstdCompressSync(bytes, level).toString("base64");
  // PostgreSQL has no zero character.
  return isUtf8(bytes) && !bytes.includes(0)
    ? textMark + bytes.toString("utf8")
    : bytesMark + bytes.toString("base64");
}

/** Null where it cannot be read. */
export function unpackBody(stored: string): Buffer | null {
  const at = stored.indexOf(":") + 1;
  const rest = stored.slice(at);
  switch (stored.slice(0, at)) {
    case textMark:
      return Buffer.from(rest, "utf8");
    case compressedMark:
      return decompressed(rest);
    case bytesMark:
      return Buffer.from(rest, "base64");
    default:
      return null;
  }
}

function decompressed(stored: string): Buffer | null {
  try {
    return zstdDecompressSync(Buffer.from(stored, "base64"));
  } catch {
    return null;
  }
}

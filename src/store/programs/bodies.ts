// The body of a kept request as a text column: JSON-encoded text, or compressed bytes in base64. Outside text never
// stands in a column as it is, and a body may be any bytes.
import { isUtf8 } from "node:buffer";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

const textMark = "json:";
const compressedMark = "zstd:";
const bytesMark = "bytes:";
/** Compressing less than this gains nothing. */
const leastCompressed = 1024;

export function packBody(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length > leastCompressed) return compressedMark + zstdCompressSync(bytes).toString("base64");
  return isUtf8(bytes)
    ? textMark + JSON.stringify(bytes.toString("utf8"))
    : bytesMark + bytes.toString("base64");
}

/** Null where it cannot be read. */
export function unpackBody(stored: string): Buffer | null {
  const at = stored.indexOf(":") + 1;
  const rest = stored.slice(at);
  try {
    switch (stored.slice(0, at)) {
      case textMark:
        return Buffer.from(String(JSON.parse(rest)), "utf8");
      case compressedMark:
        return zstdDecompressSync(Buffer.from(rest, "base64"));
      case bytesMark:
        return Buffer.from(rest, "base64");
      default:
        return null;
    }
  } catch {
    return null;
  }
}

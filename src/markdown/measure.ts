// How long a message is, the way its platform counts.

export type Limit = { most: number; unit: "utf16" | "bytes" | "codepoints" };

export function measure(text: string, unit: Limit["unit"]): number {
  if (unit === "utf16") return text.length;
  if (unit === "bytes") return Buffer.byteLength(text);
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

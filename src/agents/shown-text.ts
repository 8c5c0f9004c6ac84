// What a tool was called with, or returned, as text to keep.

/** A text as it is, anything else as JSON. Never throws. */
export function shownText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

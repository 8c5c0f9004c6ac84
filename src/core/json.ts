// JSON from outside: how deep it may nest.

export const deepestNesting = 500;

/** Counts brackets outside strings in text that is already known to be valid JSON or is about to be parsed. */
export function nestsTooDeep(text: string, limit = deepestNesting): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 92) at++;
      else if (unit === 34) inString = false;
    } else if (unit === 34) inString = true;
    else if (unit === 123 || unit === 91) {
      if (++depth > limit) return true;
    } else if (unit === 125 || unit === 93) depth--;
  }
  return false;
}

// Phone numbers as people write them and as platforms want them.

const international = /^\+[1-9]\d{6,14}$/;
const separators = /[\s().\-/]/g;

/** `+15550001111` for `+1 (555) 000-1111`; null when it is not an international number. */
export function phoneNumber(written: string): string | null {
  // The zero of `+44 (0)20 …` is dialled only within the country; the number is not guessed.
  if (written.includes("(0)")) return null;
  const bare = written.replace(separators, "");
  return international.test(bare) ? bare : null;
}

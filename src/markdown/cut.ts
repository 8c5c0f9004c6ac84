// Where a line that is too long is cut: after a sentence, else between words, else between graphemes.

const LOOK_BACK = 1_000;
const NEAR = 60;
const MOST_TRIES = 20;
const FULL_ENOUGH = 0.98;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The last good border up to which the text fits; 0 if there is none. */
export function cutPoint(text: string, most: number, fullness: (length: number) => number): number {
  let at = border(text, mostThatFits(Math.min(text.length, most), fullness));
  for (let tries = 0; at > 0 && tries < MOST_TRIES; tries += 1) {
    if (fullness(at) <= 1) return at;
    at = border(text, at - 1);
  }
  return 0;
}

/** A count up to `most` that is not too full (above 1), near the greatest such count. Fullness must grow with the count. */
export function mostThatFits(most: number, fullness: (count: number) => number): number {
  let low = { count: 0, full: 0 };
  let high = { count: most, full: fullness(most) };
  if (high.full <= 1) return most;
  for (let step = 0; high.count - low.count > 1 && low.full < FULL_ENOUGH; step += 1) {
    const share = step % 3 === 2 ? 1 / 2 : (1 - low.full) / (high.full - low.full);
    const guess = low.count + Math.floor((high.count - low.count) * share);
    const count = Math.min(Math.max(guess, low.count + 1), high.count - 1);
    const tried = { count, full: fullness(count) };
    if (tried.full <= 1) low = tried;
    else high = tried;
  }
  return low.count;
}

function border(text: string, most: number): number {
  if (most <= 0 || most >= text.length) return Math.min(Math.max(most, 0), text.length);
  const start = Math.max(0, most - LOOK_BACK);
  const near = text.slice(start, most + 1);
  const sentence = lastMatch(near, /[.!?…]["')\]”’»]*(?=\s)|[。！？](?=.)/gu);
  if (start + sentence > most / 2) return start + sentence;
  const word = lastMatch(near, /\S(?=\s)/g);
  return word > 0 ? start + word : graphemeBorder(text, most);
}

/** Where the last match ends, 0 if there is none. */
function lastMatch(text: string, pattern: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

/** Only the neighbourhood is segmented: the segmenter takes quadratic time on some texts. */
function graphemeBorder(text: string, most: number): number {
  let start = Math.max(0, most - NEAR);
  for (const stop = Math.max(0, start - 10 * NEAR); start > stop && !/[\x20-\x7e]/.test(text[start]!);)
    start -= 1;
  let found = 0;
  for (const { index } of graphemes.segment(text.slice(start, most + NEAR))) {
    if (start + index <= most) found = start + index;
  }
  return found > start ? found : codePointBorder(text, most);
}

function codePointBorder(text: string, most: number): number {
  return /[\uDC00-\uDFFF]/.test(text[most]!) && /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
}

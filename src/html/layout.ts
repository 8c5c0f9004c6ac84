// Words and breaks become lines: spaces are one space, blank lines at most one, each line after its quote marks.

/** Invisible characters with which mails are padded, and hints for hyphenation. */
const padding = /\u00ad|\u034f|\u200b|\u2060|\ufeff/g;
const leadingJoiners = /^[\u200c\u200d]+/;
const deepestQuote = 8;
const longestLink = 1000;

/** The text written so far, and the breaks before the next word. */
type Lines = {
  put(word: string): void;
  /** White space before the next word, if it is in the same line. */
  space(): void;
  /** At least so many line breaks before the next word. */
  gap(lines: 1 | 2): void;
  /** A line break that counts each time. */
  lineBreak(): void;
  cell(): void;
  item(depth: number): void;
  quote(step: 1 | -1): void;
  /** How many parts there are; `since` gives the text that came after so many. */
  count(): number;
  since(count: number): string;
};

export type Layout = Pick<Lines, "gap" | "lineBreak" | "cell" | "item" | "quote"> & {
  text(written: string): void;
  /** Text whose spaces and lines are kept. */
  preformatted(written: string): void;
  openLink(url: string): void;
  closeLink(): void;
  result(): string;
};

function createLines(): Lines {
  const parts: string[] = [];
  let breaks = 0;
  let isLineStart = true;
  let isSpaced = false;
  let isNewCell = false;
  let bullet = "";
  let quotes = 0;

  const separator = (): string => {
    if (isLineStart) return "> ".repeat(Math.min(quotes, deepestQuote)) + bullet;
    if (isNewCell) return " | ";
    return isSpaced ? " " : "";
  };
  const gap = (lines: 1 | 2): void => {
    breaks = Math.max(breaks, lines);
    isNewCell = false;
  };

  return {
    gap,
    put(word) {
      if (breaks > 0) {
        if (parts.length > 0) parts.push(breaks > 1 ? "\n\n" : "\n");
        isLineStart = true;
      }
      parts.push(separator(), word);
      breaks = 0;
      bullet = "";
      isLineStart = false;
      isSpaced = false;
      isNewCell = false;
    },
    space: () => void (isSpaced = true),
    lineBreak() {
      breaks = isLineStart && breaks === 0 ? breaks : breaks + 1;
      isNewCell = false;
    },
    cell() {
      if (breaks === 0 && !isLineStart) isNewCell = true;
    },
    item(depth) {
      gap(1);
      bullet = `${"  ".repeat(Math.min(Math.max(depth - 1, 0), 10))}- `;
    },
    quote(step) {
      gap(2);
      quotes += step;
    },
    count: () => parts.length,
    since: (count) => parts.slice(count).join("").trim(),
  };
}

export function createLayout(): Layout {
  const lines = createLines();
  let link: { url: string; from: number } | null = null;
  return {
    ...lines,
    text(written) {
      for (const [at, word] of written.replace(padding, "").split(/\s+/).entries()) {
        if (at > 0) lines.space();
        const seen = word.replace(leadingJoiners, "");
        if (seen !== "") lines.put(seen);
      }
    },
    preformatted(written) {
      for (const [at, line] of written.split(/\r\n|\r|\n/).entries()) {
        if (at > 0) lines.lineBreak();
        if (line.trim() !== "") lines.put(line.trimEnd());
      }
    },
    openLink(url) {
      link = { url, from: lines.count() };
    },
    closeLink() {
      if (link === null) return;
      const { url, from } = link;
      link = null;
      const label = lines.since(from);
      if (label === "") lines.put(shorten(url));
      else if (bare(label) !== bare(url)) {
        lines.space();
        lines.put(`(${shorten(url)})`);
      }
    },
    result: () => lines.since(0),
  };
}

const shorten = (url: string): string => (url.length > longestLink ? `${url.slice(0, longestLink)}…` : url);

const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
    .replace(/\/$/, "");

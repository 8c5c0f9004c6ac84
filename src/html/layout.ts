// Words and breaks become lines: spaces are one space, blank lines at most one, each line after its quote marks.

/** Invisible characters with which mails are padded, and hints for hyphenation. */
const padding = /\u00ad|\u034f|\u200b|\u2060|\ufeff/g;
const leadingJoiners = /^[\u200c\u200d]+/;
const deepestQuote = 8;
const longestLink = 1000;

export type Layout = ReturnType<typeof createLayout>;

export function createLayout() {
  const parts: string[] = [];
  let breaks = 0;
  let isLineStart = true;
  let isSpaced = false;
  let isNewCell = false;
  let bullet = "";
  let quotes = 0;
  let link: { url: string; from: number } | null = null;

  const put = (word: string): void => {
    if (breaks > 0) {
      if (parts.length > 0) parts.push(breaks > 1 ? "\n\n" : "\n");
      isLineStart = true;
    }
    if (isLineStart) parts.push("> ".repeat(Math.min(quotes, deepestQuote)) + bullet);
    else if (isNewCell) parts.push(" | ");
    else if (isSpaced) parts.push(" ");
    parts.push(word);
    breaks = 0;
    bullet = "";
    isLineStart = false;
    isSpaced = false;
    isNewCell = false;
  };

  const text = (written: string): void => {
    const words = written.replace(padding, "").split(/\s+/);
    words.forEach((word, at) => {
      if (at > 0) isSpaced = true;
      const seen = word.replace(leadingJoiners, "");
      if (seen !== "") put(seen);
    });
  };

  /** At least so many line breaks before the next word. */
  const gap = (lines: 1 | 2): void => {
    breaks = Math.max(breaks, lines);
    isNewCell = false;
  };

  return {
    text,
    gap,
    /** A line break that counts each time. */
    lineBreak(): void {
      breaks = isLineStart && breaks === 0 ? breaks : breaks + 1;
      isNewCell = false;
    },
    /** Text whose spaces and lines are kept. */
    preformatted(written: string): void {
      written.split(/\r\n|\r|\n/).forEach((line, at) => {
        if (at > 0) this.lineBreak();
        if (line.trim() !== "") put(line.trimEnd());
      });
    },
    cell(): void {
      if (breaks === 0 && !isLineStart) isNewCell = true;
    },
    item(depth: number): void {
      gap(1);
      bullet = `${"  ".repeat(Math.min(Math.max(depth - 1, 0), 10))}- `;
    },
    quote(step: 1 | -1): void {
      gap(2);
      quotes += step;
    },
    openLink(url: string): void {
      link = { url, from: parts.length };
    },
    closeLink(): void {
      if (link === null) return;
      const { url, from } = link;
      link = null;
      const said = parts.slice(from).join("").trim();
      if (said === "") put(shorten(url));
      else if (bare(said) !== bare(url)) {
        isSpaced = true;
        put(`(${shorten(url)})`);
      }
    },
    result: (): string => parts.join("").trim(),
  };
}

const shorten = (url: string): string => (url.length > longestLink ? `${url.slice(0, longestLink)}…` : url);

const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
    .replace(/\/$/, "");

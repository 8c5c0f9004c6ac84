// Finds elements that a reader would not see, by their own attributes and style: hidden text may be meant for
// machines.

export type Visibility = {
  /** Not shown, with everything inside it. */
  readonly gone: boolean;
  /** An inner element can undo these two: many mails set them on a frame and undo them on its content. */
  readonly zeroFont: boolean;
  readonly invisible: boolean;
};

export const shown: Visibility = { gone: false, zeroFont: false, invisible: false };

export const isSeen = ({ gone, zeroFont, invisible }: Visibility): boolean =>
  !gone && !zeroFont && !invisible;

export function visibilityOf(attributes: ReadonlyMap<string, string>, outer: Visibility): Visibility {
  const isHidden = attributes.has("hidden");
  const style = attributes.get("style");
  if (style === undefined) return isHidden ? { ...outer, gone: true } : outer;
  const declared = declarations(style);
  return {
    gone: outer.gone || isHidden || takenAway(declared),
    zeroFont: zeroFont(declared) ?? outer.zeroFont,
    invisible: invisible(declared) ?? outer.invisible,
  };
}

type Declarations = ReadonlyMap<string, string>;

/** The last of one name counts. */
function declarations(style: string): Declarations {
  const found = new Map<string, string>();
  for (const declaration of unescape(withoutComments(style)).toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon === -1) continue;
    const value = declaration.slice(colon + 1).replace("!important", "");
    found.set(declaration.slice(0, colon).trim(), value.trim());
  }
  return found;
}

function withoutComments(style: string): string {
  let kept = "";
  let at = 0;
  while (at < style.length) {
    const start = style.indexOf("/*", at);
    if (start === -1) return kept + style.slice(at);
    kept += style.slice(at, start);
    const end = style.indexOf("*/", start + 2);
    if (end === -1) return kept;
    at = end + 2;
  }
  return kept;
}

const unescape = (style: string): string =>
  style.includes("\\")
    ? style.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|([^\n]))/g, (_, hex?: string, plain?: string) =>
        hex === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : style;

const zero = /^[+-]?(?:0+\.?0*|\.0+)(?:[a-z]+|%)?$/;
const isZero = (value: string | undefined): boolean => value !== undefined && zero.test(value);

function takenAway(declared: Declarations): boolean {
  if (declared.get("display") === "none" || isZero(declared.get("opacity"))) return true;
  const clips = declared.get("overflow") === "hidden" || declared.get("overflow-y") === "hidden";
  return clips && ["height", "max-height", "width", "max-width"].some((name) => isZero(declared.get(name)));
}

/** Null where it is inherited. */
function zeroFont(declared: Declarations): boolean | null {
  const size = declared.get("font-size") ?? sizeIn(declared.get("font"));
  if (size === undefined || size === "inherit") return null;
  if (isZero(size)) return true;
  return /(?:em|%)$/.test(size) && !size.endsWith("rem") ? null : false;
}

/** The size in a `font` of several parts: the one that has a unit, or is zero. */
const sizeIn = (font: string | undefined): string | undefined =>
  font?.split(/[\s/]+/).find((part) => isZero(part) || /^[\d.]+(?:[a-z]+|%)$/.test(part));

function invisible(declared: Declarations): boolean | null {
  const value = declared.get("visibility");
  if (value === "hidden" || value === "collapse") return true;
  return value === "visible" ? false : null;
}

// Finds elements that a reader would not see, by their own attributes and style: hidden text may be meant for
// machines. Where browsers differ, or a style is too odd to be sure, the element counts as hidden.
import type { Style, StyleReader } from "./style.ts";

export type Visibility = {
  /** Not shown, with everything inside it. */
  readonly gone: boolean;
  /** An inner element can undo these two: many mails set them on a frame and undo them on its content. */
  readonly zeroFont: boolean;
  readonly invisible: boolean;
  /** A custom property is declared on the way to it: `var()` may stand for anything. */
  readonly hasCustomProperty: boolean;
};

export const shown: Visibility = {
  gone: false,
  zeroFont: false,
  invisible: false,
  hasCustomProperty: false,
};

export const isSeen = ({ gone, zeroFont, invisible }: Visibility): boolean =>
  !gone && !zeroFont && !invisible;

export function visibilityOf(
  attributes: ReadonlyMap<string, string>,
  outer: Visibility,
  styleOf: StyleReader,
): Visibility {
  const isHidden = attributes.has("hidden");
  const written = attributes.get("style");
  if (written === undefined) return isHidden ? { ...outer, gone: true } : outer;
  const style = styleOf(written, outer);
  return {
    hasCustomProperty: style.hasCustomProperty,
    gone: outer.gone || isHidden || takenAway(style),
    zeroFont: zeroFont(style) ?? outer.zeroFont,
    invisible: invisible(style) ?? outer.invisible,
  };
}

type Size = NonNullable<ReturnType<Style["numberOf"]>>;

/** A share of a size, or a length that no screen shows. */
const isTiny = ({ value, unit }: Size): boolean =>
  value <= (unit === "%" ? 1 : 0.01) || (value < 1 && (unit === "px" || unit === "pt"));

const sides = ["height", "max-height", "width", "max-width"];
const relative = /^(?:em|ex|ch|cap|ic|lh|%)$/;

function takenAway(style: Style): boolean {
  if (style.isUnsure) return true;
  const opacity = style.numberOf("opacity");
  if (style.wordOf("display") === "none" || (opacity !== null && isTiny(opacity))) return true;
  if (style.wordOf("content-visibility") === "hidden") return true;
  const clips = ["overflow-x", "overflow-y"].some((name) => /^(?:hidden|clip)$/.test(style.wordOf(name)));
  return clips && sides.some((name) => (style.numberOf(name)?.value ?? 1) <= 0);
}

/** Null where it is inherited, or a share of what is. */
function zeroFont(style: Style): boolean | null {
  const size = style.numberOf("font-size");
  if (size && isTiny(size)) return true;
  if (size) return relative.test(size.unit) ? null : false;
  return /^(?:|inherit|unset|larger|smaller|math)$/.test(style.wordOf("font-size")) ? null : false;
}

function invisible(style: Style): boolean | null {
  const word = style.wordOf("visibility");
  if (word === "hidden" || word === "collapse") return true;
  return word === "visible" || word === "initial" ? false : null;
}

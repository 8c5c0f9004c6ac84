// The open elements. An end tag closes its element and all inside it, but an inline one never reaches out of its block,
// a block's never out of its table cell, a cell's never out of its table: so a stray end tag cannot move text out of
// the element that hides it. Each close is paid for by an open; a name that is not open costs one lookup.
import type { Visibility } from "./hidden.ts";

export type Kind = "inline" | "block" | "scope";

export type Element = {
  readonly name: string;
  readonly kind: Kind;
  readonly visibility: Visibility;
  readonly isSeen: boolean;
};

/** The elements open in one block, scope or table; created with the first. */
type Frame = { readonly element: Element; counts: Map<string, number> | null };

const tableParts = new Set(["caption", "thead", "tbody", "tfoot", "tr", "td", "th"]);

export type Stack = ReturnType<typeof createStack>;

export function createStack(root: Element, onClose: (element: Element) => void) {
  const bottom = (): Frame => ({ element: root, counts: null });
  const open: Element[] = [root];
  const blocks = [bottom()];
  const scopes = [bottom()];
  const tables = [bottom()];
  const everywhere = bottom();

  const frameFor = (name: string, kind: Kind): Frame => {
    if (kind === "scope" && !tableParts.has(name)) return everywhere;
    const frames = tableParts.has(name) ? tables : kind === "inline" ? blocks : scopes;
    return frames.at(-1) ?? everywhere;
  };

  const pop = (): Element | undefined => {
    const element = open.length > 1 ? open.pop() : undefined;
    if (!element) return undefined;
    if (element.kind !== "inline") blocks.pop();
    if (element.kind === "scope") scopes.pop();
    if (element.name === "table") tables.pop();
    count(frameFor(element.name, element.kind), element.name, -1);
    onClose(element);
    return element;
  };

  return {
    top: (): Element => open.at(-1) ?? root,
    block: (): Element => blocks.at(-1)?.element ?? root,
    scope: (): Element => scopes.at(-1)?.element ?? root,
    isOpen: (name: string, kind: Kind): boolean => (frameFor(name, kind).counts?.get(name) ?? 0) > 0,
    push(element: Element): void {
      count(frameFor(element.name, element.kind), element.name, 1);
      open.push(element);
      if (element.kind !== "inline") blocks.push({ element, counts: null });
      if (element.kind === "scope") scopes.push({ element, counts: null });
      if (element.name === "table") tables.push({ element, counts: null });
    },
    close(name: string, kind: Kind): void {
      if (!this.isOpen(name, kind)) return;
      while (pop()?.name !== name) {
        // everything inside it closes with it
      }
    },
    closeAll(): void {
      while (pop()) {
        // down to the root
      }
    },
  };
}

function count(frame: Frame, name: string, step: number): void {
  frame.counts ??= new Map();
  frame.counts.set(name, (frame.counts.get(name) ?? 0) + step);
}

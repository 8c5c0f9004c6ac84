// How a sender is called in a sentence.
import type { SenderKind } from "./kind.ts";

/** Kinds that are no service: such a sender is called by its name. */
const nameless: ReadonlySet<string> = new Set(["basic", "custom", "token"]);

export const labelOf = ({ id, label }: Pick<SenderKind, "id" | "label">, name: string): string =>
  nameless.has(id) ? name : label;

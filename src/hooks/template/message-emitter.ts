// Where a rendering goes: the operator's text and outside text, as separate parts from the moment they are written.
import type { Emitter } from "liquidjs";
import type { OutsideText } from "../../core/message.ts";

export type MessageEmitter = Emitter & {
  readonly parts: (string | OutsideText)[];
  writeOutside(label: string, text: string): void;
};

export function createMessageEmitter(): MessageEmitter {
  const parts: (string | OutsideText)[] = [];
  return {
    buffer: "",
    parts,
    write(text: string): void {
      const last = parts.at(-1);
      if (typeof last === "string") parts[parts.length - 1] = last + text;
      else if (text !== "") parts.push(text);
    },
    writeOutside: (label, text) => void parts.push({ label, source: "request", text }),
  };
}

/** Inside `{% capture %}` the emitter is LiquidJS's own, which only knows text. */
export const isMessageEmitter = (emitter: Emitter): emitter is MessageEmitter => "writeOutside" in emitter;

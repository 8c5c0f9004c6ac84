// The output of a rendering: the operator's text and outside text are separate parts as soon as they are written.
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

/** Inside `{% capture %}` LiquidJS uses its own emitter, which holds text only. */
export const isMessageEmitter = (emitter: Emitter): emitter is MessageEmitter => "writeOutside" in emitter;

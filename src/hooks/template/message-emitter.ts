// The output of a rendering: the operator's text and outside text are separate parts as soon as they are written.
import type { Emitter } from "liquidjs";
import type { Message, OutsideText } from "../../core/message.ts";

export type MessageEmitter = Emitter & {
  readonly parts: (string | OutsideText)[];
  /** False: the message has as many outside texts as it may have, and this one is left out. */
  writeOutside(label: string, text: string): boolean;
  readonly leftOut: boolean;
};

/** Each becomes a block of its own in the prompt. */
export const mostOutsideTexts = 1000;

export function createMessageEmitter(): MessageEmitter {
  const parts: (string | OutsideText)[] = [];
  let outsideTexts = 0;
  return {
    buffer: "",
    parts,
    get leftOut() {
      return outsideTexts > mostOutsideTexts;
    },
    write(text: string): void {
      const last = parts.at(-1);
      if (typeof last === "string") parts[parts.length - 1] = last + text;
      else if (text !== "") parts.push(text);
    },
    writeOutside(label, text) {
      outsideTexts++;
      if (outsideTexts > mostOutsideTexts) return false;
      parts.push({ label, source: "request", text });
      return true;
    },
  };
}

const leftOutNote = `\n\n(Only the first ${mostOutsideTexts} values from outside are here. The rest was left out.)`;

export function emittedMessage(emitter: MessageEmitter): Message {
  if (emitter.leftOut) emitter.write(leftOutNote);
  return emitter.parts;
}

/** Inside `{% capture %}` LiquidJS uses its own emitter, which holds text only. */
export const isMessageEmitter = (emitter: Emitter): emitter is MessageEmitter => "writeOutside" in emitter;

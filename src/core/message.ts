// Text for an agent, with the operator's words and outside texts kept separate, as a prepared statement separates its
// text from its values.

/** `request`: it came with an HTTP request. `transform`: a transform wrote it. `reply`: an agent or its failure did. */
export type OutsideSource = "request" | "transform" | "reply";

export type OutsideText = {
  /** What it is, in the operator's words: `messages[0].subject`. */
  readonly label: string;
  readonly source: OutsideSource;
  readonly text: string;
};

/** A string is the operator's (or ours); everything else is from outside. In reading order. */
export type Message = readonly (string | OutsideText)[];

export const outsideMessage = (label: string, source: OutsideSource, text: string): Message => [
  { label, source, text },
];

/** The text without that separation: for people, and for a mapping that lifts the boundary. */
export const plainText = (message: Message): string =>
  message.map((part) => (typeof part === "string" ? part : part.text)).join("");

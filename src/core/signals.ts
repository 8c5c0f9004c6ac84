// What is noticeable in outside text. Told, never judged: a signal blocks nothing.

export type Signals = {
  readonly hiddenCharacters: number;
  /** Special tokens of chat templates, such as `<|im_start|>`. */
  readonly chatTokens: number;
  /** Lines that look like the borders of a safety boundary. */
  readonly fakeMarkers: number;
  /** Lines that begin like a turn of a conversation, such as `System:`. */
  readonly roleLabels: number;
};

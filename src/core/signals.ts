// Signs of an attack in outside text, as counts. They are shown to people and block nothing.

export type Signals = {
  readonly hiddenCharacters: number;
  /** Special tokens of chat templates, such as `<|im_start|>`. */
  readonly chatTokens: number;
  /** Lines that look like the fence around outside text, ours or another product's. */
  readonly fakeMarkers: number;
  /** Lines that start as if another speaker began, such as `System:`. */
  readonly roleLabels: number;
};

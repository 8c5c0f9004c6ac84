// JSON from outside.

/** Deeper than this, walking or writing a value could overflow the stack. */
export const deepestNesting = 500;

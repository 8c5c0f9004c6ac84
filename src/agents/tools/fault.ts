// Two ways a tool can fail: the turn cannot begin with it, or this one call cannot be done.

/** A tool the run was given cannot be had; the turn is not begun. */
export class ToolFault extends Error {
  readonly mayPass: boolean;
  constructor(message: string, mayPass: boolean) {
    super(message);
    this.name = "ToolFault";
    this.mayPass = mayPass;
  }
}

/** This call cannot be done. The model reads the message: what is wrong, and what to do instead. */
export class Refusal extends Error {}

// How a tool is missing before the turn starts.

/** A tool the run was given cannot be had; the turn is not begun. */
export class ToolFault extends Error {
  readonly mayPass: boolean;
  constructor(message: string, mayPass: boolean) {
    super(message);
    this.name = "ToolFault";
    this.mayPass = mayPass;
  }
}

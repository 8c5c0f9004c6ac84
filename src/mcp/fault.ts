// A tool that is missing when a run starts.

/** A tool that the run was granted is not available; the agent is not started. */
export class ToolFault extends Error {
  readonly mayPass: boolean;
  constructor(message: string, mayPass: boolean) {
    super(message);
    this.name = "ToolFault";
    this.mayPass = mayPass;
  }
}

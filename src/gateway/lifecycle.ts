// Starts parts in order and stops them in reverse. A stage is a list of parts that start one after another and stop at
// the same time. A stage stops once every later one has stopped.

export type Part = { start?(): unknown; stop?(): unknown };

export type Lifecycle = {
  /** When a part fails to start, those that have started are stopped, and the fault is passed on. */
  start(stages: readonly (readonly Part[])[]): Promise<void>;
  /** Resolves once everything has stopped. A second call waits for the first. */
  stop(): Promise<void>;
  isStopping(): boolean;
};

export function createLifecycle(): Lifecycle {
  /** The parts that have started, one list a stage. */
  const started: Part[][] = [];
  let isStopping = false;
  let stopped: Promise<void> | undefined;

  async function startAll(stages: readonly (readonly Part[])[]): Promise<void> {
    for (const stage of stages) {
      const members: Part[] = [];
      started.push(members);
      for (const part of stage) {
        await part.start?.();
        members.push(part);
      }
    }
  }

  async function stopAll(): Promise<void> {
    for (const members of started.toReversed())
      await Promise.all(members.toReversed().map((part) => part.stop?.()));
  }

  function stop(): Promise<void> {
    isStopping = true;
    return (stopped ??= stopAll());
  }

  return {
    async start(stages) {
      try {
        await startAll(stages);
      } catch (fault) {
        await stop();
        throw fault;
      }
    },
    stop,
    isStopping: () => isStopping,
  };
}

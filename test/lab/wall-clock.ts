// A wall clock that the lab can set: `Date` of this process, and nothing else. Timers and monotonic clocks go on.

/** From now on, `Date` is ahead of the machine's clock by the sum of what the returned function was called with. */
export function settableWallClock(): (stepMs: number) => void {
  const machine = Date;
  let ahead = 0;
  const now = (): number => machine.now() + ahead;
  globalThis.Date = new Proxy(machine, {
    get: (target, name, receiver) =>
      name === "now" ? now : (Reflect.get(target, name, receiver) as unknown),
    construct: (target, values: unknown[], made) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, made) as Date,
  });
  return (stepMs) => void (ahead += stepMs);
}

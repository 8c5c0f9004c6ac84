// Waiting for work that may not listen to its signal.

/** Rejects when the signal fires, also where the work does not listen to it. */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const onAbort = () => stop.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

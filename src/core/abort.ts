// Waiting for work that may not listen to its signal.

/** Calls `act` when the signal fires, or at once if it has. The returned function removes the listener. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}

/** Rejects when the signal fires, even if the work ignores it. */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const release = onAbort(signal, () => stop.reject(signal.reason));
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    release();
  }
}

// Whether the caller is still there, while it waits for its response.
import type { Exchange } from "./exchange.ts";

/**
 * Calls `act` when the caller has closed the connection, or its side of it; never in the same turn. Who ends only its own
 * side can still read, so that what it is sent then is not in vain. The returned function ends it.
 */
export function onHangUp({ request, response }: Exchange, act: () => void): () => void {
  const { socket } = request;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    socket.off("end", hear);
    response.off("close", hear);
  };
  const hear = (): void => {
    if (isOver) return;
    stop();
    act();
  };
  socket.on("end", hear);
  response.on("close", hear);
  if (socket.readableEnded || socket.destroyed || response.closed) setImmediate(hear);
  return stop;
}

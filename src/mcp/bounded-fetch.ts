// `fetch` for a server whose responses a library reads whole: it gives no more than so many bytes, and it ends when its
// signal fires.

const mostBytes = 16_000_000;
/** How long the request that closes a session may take. */
const partingMs = 1000;

export function boundedFetch(stop: AbortSignal, most = mostBytes): typeof fetch {
  return async (input, init) => {
    const ends = init?.method === "DELETE" ? AbortSignal.timeout(partingMs) : stop;
    const signal = init?.signal ? AbortSignal.any([ends, init.signal]) : ends;
    const response = await fetch(input, { ...init, signal });
    if (response.body === null) return response;
    return new Response(response.body.pipeThrough(atMost(most)), response);
  };
}

function atMost(most: number): TransformStream<Uint8Array, Uint8Array> {
  let left = most;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new Error("the response is too large"));
      else controller.enqueue(chunk);
    },
  });
}

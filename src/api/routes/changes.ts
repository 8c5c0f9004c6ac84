// `/changes`: hints of what has changed, on any node. At most ten a second; above that, one `many` says that everything
// may have changed.
import type { Change } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";
import { refuse } from "../../core/errors.ts";
import { route } from "../frame/route.ts";

const mostHints = 10;
const windowMs = 1000;

export const changesRoute = route({
  id: "listenToChanges",
  method: "GET",
  path: "/changes",
  summary:
    "Server-sent events: hints of what has changed, without data. A hint can be lost; read what you need.",
  answer: { status: 200, type: "text/event-stream" },
  refusals: ["too-many-requests"],
  async handle({ deps }) {
    if (deps.streams.isFull())
      return refuse("too-many-requests", {
        retryAfterSeconds: 5,
        detail: "Too many callers listen to changes already.",
      });
    return {
      stream: (exchange, headers) =>
        deps.streams.open(exchange, headers, (stream) => {
          stream.send(null);
          const thinned = thin(deps.clock, (change) => stream.send({ event: "change", data: change }));
          const stop = deps.listen(thinned.hear);
          return () => {
            stop();
            thinned.stop();
          };
        }),
    };
  },
});

/** Passes on the first ten changes of a second, and one `many` at its end when there were more. */
export function thin(
  clock: Pick<Clock, "after">,
  pass: (change: Change) => void,
): { hear: (change: Change) => void; stop: () => void } {
  let heard = 0;
  let cancelTimer: (() => void) | null = null;

  function endWindow(): void {
    cancelTimer = null;
    const more = heard > mostHints;
    heard = 0;
    if (more) pass({ kind: "many" });
  }

  return {
    hear(change) {
      heard++;
      cancelTimer ??= clock.after(windowMs, endWindow);
      if (heard <= mostHints) pass(change);
    },
    stop: () => cancelTimer?.(),
  };
}

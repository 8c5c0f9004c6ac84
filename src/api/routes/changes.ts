// `/changes`: hints of what has changed, on any node. At most ten a second; above that, one `many` says that everything
// may have changed.
import type { Change } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";
import { refuse } from "../../core/errors.ts";
import { sendStreamHead } from "../../http/event-stream.ts";
import { route } from "../frame/route.ts";

const mostHints = 10;
const windowMs = 1000;

export const changesRoute = route({
  id: "listenToChanges",
  method: "GET",
  path: "/changes",
  summary:
    "Server-sent events (`change`): hints of what has changed, without data. A hint can be lost, so read what you need again after a reconnect.",
  answer: { status: 200, type: "text/event-stream" },
  refusals: ["too-many-streams"],
  async handle({ deps }) {
    if (deps.streams.isFull()) return refuse("too-many-streams", { retryAfterSeconds: 5 });
    return {
      stream(exchange, headers) {
        if (exchange.request.method === "HEAD") return sendStreamHead(exchange);
        deps.streams.open(exchange, headers, (stream) => {
          const hints = thin(deps.clock, (change) => stream.send({ event: "change", data: change }));
          const stop = deps.changes.listen(hints.hear);
          return () => {
            stop();
            hints.stop();
          };
        });
      },
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

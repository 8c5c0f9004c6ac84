// What agents tell while they work on this node: the text so far, and who listens. While nobody listens to a run, its
// text is appended to and nothing else happens.
import type { Clock } from "../core/clock.ts";
import type { Live, LiveEvent } from "../core/live.ts";
import { cut } from "../core/text.ts";

/** In characters, of one run. */
const mostText = 1_000_000;
/** A fast model writes hundreds of deltas a second; listeners get them joined, twenty times a second. */
const pauseMs = 50;

type Dependencies = { clock: Pick<Clock, "after"> };
type Heard = (event: LiveEvent) => void;
type LiveRun = {
  tell(event: LiveEvent): void;
  end(): void;
  listen(heard: Heard): { text: string; stop(): void };
};

export function createLive(dependencies: Dependencies): Live {
  const runs = new Map<string, LiveRun>();
  const end = (runId: string) => {
    runs.get(runId)?.end();
    runs.delete(runId);
  };
  return {
    begin(runId) {
      end(runId);
      runs.set(runId, createLiveRun(dependencies));
    },
    tell: (runId, event) => runs.get(runId)?.tell(event),
    end,
    listen: (runId, heard) => runs.get(runId)?.listen(heard) ?? null,
  };
}

function createLiveRun({ clock }: Dependencies): LiveRun {
  const kept = createText();
  const listeners = new Set<Heard>();
  /** Deltas that wait for the end of the pause. */
  let pending = "";
  let cancelPause: (() => void) | null = null;

  const send = (event: LiveEvent) => [...listeners].forEach((heard) => sendTo(heard, event));
  const flush = () => {
    if (pending === "") return;
    const text = pending;
    pending = "";
    send({ kind: "delta", text });
  };
  const pause = () => {
    cancelPause = clock.after(pauseMs, () => {
      cancelPause = null;
      if (pending === "") return;
      flush();
      pause();
    });
  };
  const rest = () => {
    cancelPause?.();
    cancelPause = null;
    pending = "";
  };

  return {
    tell(event) {
      if (event.kind === "delta") kept.append(event.text);
      if (listeners.size === 0) return;
      if (event.kind === "delta" && cancelPause !== null) {
        pending += event.text;
        return;
      }
      flush();
      send(event);
      if (event.kind === "delta") pause();
    },
    end() {
      flush();
      listeners.clear();
      rest();
    },
    listen(heard) {
      // What waits is in the text already; the others get it now, so that it is not heard twice.
      flush();
      const listener: Heard = (event) => heard(event);
      listeners.add(listener);
      return {
        text: kept.soFar(),
        stop() {
          listeners.delete(listener);
          if (listeners.size === 0) rest();
        },
      };
    },
  };
}

/** A listener's fault must harm neither the agent nor the others. */
function sendTo(heard: Heard, event: LiveEvent): void {
  try {
    heard(event);
  } catch {
    // It has lost this event.
  }
}

const fullMark = `\n\n[More than ${mostText} characters were written; from here on nothing is kept until the reply.]\n\n`;

function createText(): { append(text: string): void; soFar(): string } {
  let kept = "";
  let isFull = false;
  return {
    append(text) {
      if (isFull) return;
      isFull = kept.length + text.length > mostText;
      kept += isFull ? cut(text, mostText - kept.length) : text;
    },
    soFar: () => (isFull ? kept + fullMark : kept),
  };
}

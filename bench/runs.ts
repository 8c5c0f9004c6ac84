// Runs and settlements as the gateway stores them, for measurements of the store itself.
import type { RunRequest } from "../src/core/action.ts";
import { outsideMessage } from "../src/core/message.ts";
import { mainSessionKey, type NewRun } from "../src/core/run.ts";
import type { Acceptance } from "../src/core/request.ts";
import type { Settlement } from "../src/core/settlement.ts";
import { anAcceptance, anEvent } from "../test/builders/acceptance.ts";
import { aRun, aRunRequest } from "../test/builders/run.ts";
import { aSettlement } from "../test/builders/settlement.ts";

/** Asks for no heartbeat, which would be work of another kind. */
export const request: RunRequest = aRunRequest({
  message: outsideMessage("message", "request", "the build of main is broken; find out why"),
  name: "Bench",
  wakeMode: "next-heartbeat",
  deliver: false,
});

/** Runs with the same `lane` are turns of one conversation, so they run one after another. */
export const newRun = ({ lane }: { lane?: string } = {}): NewRun =>
  lane === undefined
    ? aRun({ request })
    : aRun({ sessionKey: lane, request: { ...request, message: outsideMessage("lane", "request", lane) } });

export const acceptanceOf = (run: NewRun): Acceptance =>
  anAcceptance({ id: run.id, hook: run.hook, runs: [run], response: { status: 202, body: {} } });

/** A successful end with a summary. */
export const endOf = ({ hook }: { hook: string }): Settlement =>
  aSettlement({
    workedMs: 1,
    summary: anEvent("", {
      sessionKey: mainSessionKey,
      source: "summary",
      hook,
      text: outsideMessage("summary", "reply", "Hook Bench: done"),
    }),
  });

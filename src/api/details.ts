// What is shown of one stored thing beyond its line in a list.
import { shownCallback } from "../core/callback.ts";
import { plainText } from "../core/message.ts";
import type { Run } from "../core/run.ts";
import type { AttemptRecord } from "../core/attempt-record.ts";
import type { Store } from "../store/ports/store.ts";
import { deliveryResource, turnResource } from "./resources.ts";

export const runDetails = async (
  store: Pick<Store, "listTurns" | "listDeliveries" | "listAttempts">,
  run: Run,
) => ({
  request: {
    ...run.request,
    message: plainText(run.request.message),
    callback: shownCallback(run.request.callback),
  },
  lastLine: run.lastLine,
  nextTryAt: run.nextTryAt === null ? null : new Date(run.nextTryAt).toISOString(),
  retriedAs: run.retriedAs,
  signals: run.signals,
  report: run.report,
  transcript: (await store.listTurns({ runId: run.id })).map(turnResource),
  deliveries: (await store.listDeliveries({ limit: null, runId: run.id })).map(deliveryResource),
  attemptRecords: (await store.listAttempts(run.id)).map(attemptResource),
});

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const attemptResource = ({ startedAt, endedAt, nextTryAt, toolCalls, ...record }: AttemptRecord) => ({
  ...record,
  startedAt: time(startedAt),
  endedAt: time(endedAt),
  nextTryAt: time(nextTryAt),
  toolCalls: toolCalls.map(({ atMs, ...call }) => ({ ...call, at: time(startedAt + atMs) })),
});

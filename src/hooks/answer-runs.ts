// The response to a request that led to runs: at once, or when they have ended, or as a stream of events. Whoever waits,
// the runs are stored, and nothing that happens here takes them back.
import { secondsToMs } from "../core/duration.ts";
import type { Acceptance, Repeated, Stored, StoredResponse } from "../core/request.ts";
import { hasEnded, type OpenAccess, type RunState } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { Exchange } from "../http/exchange.ts";
import { accessOf } from "../results/access.ts";
import { locationOf, waitAnswer } from "../results/answers.ts";
import type { Results } from "../results/results.ts";
import type { Hook, HookRequest } from "./decide.ts";
import type { Responses } from "./responses.ts";
import type { HookSettings } from "./settings.ts";
import { wantedResult } from "./wanted-result.ts";

type Answering = {
  exchange: Exchange;
  hook: Hook;
  request: HookRequest;
  ladder: {
    settings: () => Pick<HookSettings, "path" | "credentials">;
    responses: Responses;
    results: Results;
    onStored: (acceptance: Acceptance, stored: Stored) => void;
  };
};

export async function answerAccepted(
  answering: Answering,
  { acceptance, stored }: { acceptance: Acceptance; stored: Stored },
): Promise<void> {
  const { exchange, hook, request, ladder } = answering;
  const { response } = acceptance;
  const wanted = response.readable === true ? wantedResult(hook, request) : null;
  if (wanted === null) {
    ladder.responses.accepted(exchange, response, locationIn(response, ladder.settings().path));
    return ladder.onStored(acceptance, stored);
  }
  // Its worker begins while the caller waits.
  ladder.onStored(acceptance, stored);
  const runs = acceptance.runs.map(({ id }): RunState => ({ id, ...startOf(stored) }));
  const access = acceptance.runs[0]!.request.results as OpenAccess;
  return answerWith(answering, { response, runs, access, code: "accepted" });
}

const startOf = ({ started }: Stored): Pick<RunState, "status" | "attempts"> =>
  started ? { status: "running", attempts: 1 } : { status: "queued", attempts: 0 };

/** Who repeats a request waits for the runs of the first one, if it may read them. */
export async function answerRepeated(answering: Answering, repeated: Repeated): Promise<void> {
  const { exchange, hook, request, ladder } = answering;
  const { responses } = ladder;
  if (repeated.kind === "mismatch") return responses.repeated(exchange, repeated);
  const { response } = repeated;
  const wanted = response.readable === true ? wantedResult(hook, request) : null;
  const found = wanted === null ? null : await readableRuns(answering, response);
  if (found === null)
    return responses.repeated(exchange, repeated, locationIn(response, ladder.settings().path));
  return answerWith(answering, { response, ...found, code: "replayed" });
}

/** Null where one of them may not be read, or the store is away: then the caller gets the usual response. */
async function readableRuns(
  { request, ladder }: Answering,
  { body }: StoredResponse,
): Promise<{ runs: Run[]; access: OpenAccess } | null> {
  const ids = "runIds" in body ? (body["runIds"] as string[]) : [String(body["runId"])];
  const runs = await ladder.results.findRuns(ids).catch(() => []);
  const inOrder = ids.flatMap((id) => runs.find((run) => run.id === id) ?? []);
  const reader = { kind: "token", name: request.credential ?? null, opens: () => true } as const;
  const accesses = new Set(inOrder.map((run) => accessOf(run, reader)));
  const [access = "none"] = accesses;
  return inOrder.length === ids.length && accesses.size === 1 && access !== "none"
    ? { runs: inOrder, access }
    : null;
}

type Answer = {
  response: StoredResponse;
  runs: readonly (RunState | Run)[];
  access: OpenAccess;
  code: "accepted" | "replayed";
};

async function answerWith({ exchange, hook, request, ladder }: Answering, answer: Answer): Promise<void> {
  const { responses, results } = ladder;
  const { response, runs, access, code } = answer;
  const hooksPath = ladder.settings().path;
  const wanted = wantedResult(hook, request)!;
  responses.later(exchange, code);
  if (wanted.kind === "events") {
    const [run] = runs;
    const headers = [...(locationIn(response, hooksPath) ?? []), ...responses.headersOf(code)];
    const onClose = (): void => responses.streamed(exchange);
    const isOpen =
      run !== undefined &&
      runs.length === 1 &&
      results.stream(exchange, { run, access, isResumed: false, headers, onClose });
    if (isOpen) return;
  }
  const seconds = wanted.kind === "wait" ? wanted.seconds : 0;
  const waited = await waitFor(runs, seconds, { exchange, results });
  const { status, body, headers } = waitAnswer(waited, { response, access, hooksPath, seconds });
  responses.result(exchange, { status, body, headers: [...headers, ...responses.headersOf(code)] });
}

/** What has ended already is not waited for. */
async function waitFor(
  runs: readonly (RunState | Run)[],
  seconds: number,
  { exchange, results }: { exchange: Exchange; results: Results },
): ReturnType<Results["wait"]> {
  const ended = new Map(
    runs.flatMap((run) => ("request" in run && hasEnded(run) ? [[run.id, run] as const] : [])),
  );
  const isWaiting = seconds > 0 && ended.size < runs.length;
  if (!isWaiting) return { isApplied: seconds > 0, ended, states: runs };
  return results.wait(runs, secondsToMs(seconds), exchange);
}

/** Where the result of its only run can be read. */
const locationIn = ({ body, readable }: StoredResponse, hooksPath: string): string[] | undefined =>
  readable === true && typeof body["runId"] === "string" ? locationOf(hooksPath, body["runId"]) : undefined;

// Responses about results: bodies and headers, from what is known of the runs.
import { hasEnded, type OpenAccess, resultResource, type RunState, stateNumber } from "../core/result.ts";
import type { StoredResponse } from "../core/request.ts";
import type { Run } from "../core/run.ts";
import type { Waited } from "./wait.ts";

export type ResultAnswer = {
  status: number;
  body: Readonly<Record<string, unknown>> | null;
  headers: string[];
};

/** Asking more often tells nothing. */
const retryAfter = ["Retry-After", "2"];

export const locationOf = (hooksPath: string, runId: string): string[] => [
  "Location",
  `${hooksPath}/runs/${runId}`,
];

const applied = (seconds: number): string[] => ["Preference-Applied", `wait=${seconds}`];

/** Of all that the resource shows. */
export const tagOf = (run: Run, access: OpenAccess): string =>
  `"${stateNumber(run)}-${(run.endedAt ?? 0).toString(36)}-${access}"`;

/** `waited`: the caller wanted to wait for so long, and has. */
export function pollAnswer(
  run: Run,
  { access, isKnown, waitedSeconds }: { access: OpenAccess; isKnown: boolean; waitedSeconds: number | null },
): ResultAnswer {
  const headers = [
    "ETag",
    tagOf(run, access),
    "Cache-Control",
    "private, no-cache",
    ...(hasEnded(run) ? [] : retryAfter),
    ...(waitedSeconds === null ? [] : applied(waitedSeconds)),
  ];
  return isKnown
    ? { status: 304, body: null, headers }
    : { status: 200, body: resultResource(run, access), headers };
}

export type WaitAnswer = {
  /** What the caller would have got without waiting. */
  response: StoredResponse;
  access: OpenAccess;
  hooksPath: string;
  seconds: number;
};

/** 200 with the results if all have ended, otherwise the usual response with their states. */
export function waitAnswer(
  { isApplied, ended, states }: Waited,
  { response, access, hooksPath, seconds }: WaitAnswer,
): ResultAnswer {
  const [only] = states;
  const isList = "runIds" in response.body;
  const headers = [
    ...(only && !isList ? locationOf(hooksPath, only.id) : []),
    ...(isApplied ? applied(seconds) : []),
  ];
  const runs = states.flatMap(({ id }) => ended.get(id) ?? []);
  if (runs.length === states.length) {
    const results = runs.map((run) => resultResource(run, access));
    const body = isList
      ? { ...response.body, runs: results.map((result) => ({ ...result, ok: undefined })) }
      : results[0]!;
    return { status: 200, body, headers };
  }
  const shown = isList ? { runs: states.map(shownState) } : { status: only?.status };
  return {
    status: response.status,
    body: { ...response.body, ...shown },
    headers: [...headers, ...retryAfter],
  };
}

const shownState = ({ id, status }: RunState) => ({ runId: id, status });

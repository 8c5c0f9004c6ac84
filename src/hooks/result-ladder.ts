// The ladder of a caller who asks what has become of a run: `GET {hooks.path}/runs/ID`, and `…/events` for a stream. An
// id opens nothing by itself: a run that this token may not read is as unknown as one that never was.
import type { Clock } from "../core/clock.ts";
import { secondsToMs } from "../core/duration.ts";
import { type Refusal, refuse, stopping } from "../core/errors.ts";
import { timeOfId } from "../core/id.ts";
import { hasEnded, type OpenAccess, stateNumber } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import { isKnownTag } from "../http/entity-tag.ts";
import { sendStreamHead } from "../http/event-stream.ts";
import type { Exchange } from "../http/exchange.ts";
import { singleHeader } from "../http/headers.ts";
import { preferredWait } from "../http/prefer.ts";
import { accessOf, type Reader } from "../results/access.ts";
import { pollAnswer, tagOf } from "../results/answers.ts";
import type { Results } from "../results/results.ts";
import type { Responses } from "./responses.ts";
import type { HookSettings } from "./settings.ts";
import { refuseToken, type TokenDeps } from "./token.ts";

export type ResultRoute = { id: string; isStream: boolean };

const resultPath = /^runs\/([^/]+)(\/events)?$/;

/** Null where the name is no result's, or where nobody may read any. */
export function resultRoute(name: string, { results }: Pick<HookSettings, "results">): ResultRoute | null {
  if (!results.areReadable) return null;
  const [, id, events] = resultPath.exec(name) ?? [];
  return id === undefined ? null : { id, isStream: events !== undefined };
}

type ResultLadder = TokenDeps & {
  settings: () => HookSettings;
  responses: Responses;
  results: Results;
  clock: Pick<Clock, "now">;
  stopping: () => boolean;
};

const methods = "GET, HEAD, POST";

export async function climbToResult(exchange: Exchange, { id, isStream }: ResultRoute, ladder: ResultLadder) {
  const { request } = exchange;
  const { responses, results } = ladder;
  const settings = ladder.settings();
  exchange.name = "";
  if (request.method !== "GET" && request.method !== "HEAD")
    return responses.refuse(exchange, refuse("method-not-allowed", { allow: methods }));
  const reader = readerOf(request.rawHeaders, settings);
  if (typeof reader === "string") return refuseToken(exchange, reader, ladder);
  exchange.authenticated = true;
  const now = ladder.clock.now();
  const [run] = timeOfId(id) === null ? [] : await results.findRuns([id]);
  const access = run === undefined ? "none" : accessOf(run, reader);
  if (run === undefined || access === "none") return responses.refuse(exchange, missing(id, now, settings));
  exchange.name = run.hook;
  if (isStream) return stream(exchange, run, access, ladder);
  const seconds = preferredWait(request.rawHeaders);
  const isWaiting = seconds !== null && !hasEnded(run);
  const waited = isWaiting ? await results.wait([run], secondsToMs(seconds), exchange) : null;
  const latest = waited === null ? run : ((await latestOf(run, waited, results)) ?? run);
  const isKnown = isKnownTag(request.rawHeaders, tagOf(latest, access));
  const waitedSeconds = waited === null || waited.isApplied ? seconds : null;
  responses.read(exchange, pollAnswer(latest, { access, isKnown, waitedSeconds }));
}

/** Both are compared, whichever is right. */
function readerOf(
  rawHeaders: readonly string[],
  { credentials, results }: Pick<HookSettings, "credentials" | "results">,
): Reader | "wrong" | "repeated" {
  const credential = credentials.check(rawHeaders);
  const isGateway = results.guard?.check(rawHeaders) === "ok";
  if (isGateway) return { kind: "gateway" };
  return typeof credential === "string" ? credential : { kind: "token", ...credential };
}

/** The same for every id of its age, whether there is such a run or not. */
function missing(id: string, now: number, { results }: Pick<HookSettings, "results">): Refusal {
  const madeAt = timeOfId(id);
  return refuse(madeAt !== null && madeAt + results.retentionMs < now ? "run-expired" : "unknown-run");
}

/** After a wait without an end, the run may be in another state. While the store is away, the known one is told. */
async function latestOf(
  run: Run,
  { ended, states: [state] }: Awaited<ReturnType<Results["wait"]>>,
  results: Results,
): Promise<Run | undefined> {
  const found = ended.get(run.id);
  if (found !== undefined || state === undefined || stateNumber(state) === stateNumber(run)) return found;
  const [latest] = await results.findRuns([run.id]).catch(() => []);
  return latest;
}

function stream(
  exchange: Exchange,
  run: Run,
  access: OpenAccess,
  { responses, results }: ResultLadder,
): void {
  const { method, rawHeaders } = exchange.request;
  const lastId = singleHeader(rawHeaders, "last-event-id");
  // Tells a client that it need not connect again.
  if (hasEnded(run) && lastId === String(stateNumber(run)))
    return responses.read(exchange, { status: 204, body: null, headers: [] });
  if (method === "HEAD") {
    sendStreamHead(exchange);
    return responses.streamed(exchange);
  }
  const isResumed = typeof lastId === "string";
  const onClose = (): void => responses.streamed(exchange);
  if (results.stream(exchange, { run, access, isResumed, onClose })) return responses.later(exchange, "read");
  responses.refuse(
    exchange,
    exchange.stop.stopping ? stopping : refuse("too-many-streams", { retryAfterSeconds: 5 }),
  );
}

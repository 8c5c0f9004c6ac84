// The steps of a request itself: it is received and decided, and something is stored, or nothing is.
import { catalogue } from "../core/errors.ts";
import type { RequestDecision, RequestRecord, TriedMapping } from "../core/request.ts";
import type { SystemEvent } from "../core/system-event.ts";
import type { TimelineFacts } from "./facts.ts";
import { draft, type Detail, type Draft } from "./step.ts";
import { countWords, durationWords, listWords, reasonWords, sizeWords } from "./words.ts";

/** `more`: runs and notes that were not read. */
export function requestSteps(request: RequestRecord, { others }: TimelineFacts, more: number): Draft[] {
  const first = [receivedStep(request), decidedStep(request, others)];
  if (request.outcome === "accepted") return [...first, storedStep(request, more)];
  return [...first, ...answeredSteps(request), ...nothingSteps(request)];
}

/** Of a run whose request is not kept. */
export const unkeptRequest = (text: string, at: number): Draft =>
  draft("received", {
    state: "none",
    at,
    title: "Received",
    text,
    facts: {
      origin: null,
      method: null,
      target: null,
      address: null,
      bytes: null,
      credential: null,
      event: null,
      delivery: null,
      hasBody: false,
      replayOf: null,
    },
  });

function receivedStep(request: RequestRecord): Draft {
  const { origin, arrival, credential, hasBody, replayOf } = request;
  const {
    method = null,
    target = null,
    address = null,
    bytes = null,
    event = null,
    delivery = null,
  } = arrival ?? {};
  const facts = { origin, method, target, address, bytes, credential, event, delivery, hasBody, replayOf };
  const headers = Object.entries(arrival?.headers ?? {});
  return draft("received", {
    state: "done",
    at: request.createdAt,
    title: "Received",
    text: listWords([
      replayOf !== null && `a replay of ${replayOf}`,
      origin === "mail" && "a mail",
      origin === "schedule" && "a schedule was due",
      method !== null && target !== null && `${method} ${target}`,
      address,
      bytes !== null && bytes > 0 && sizeWords(bytes),
      credentialWords(request),
      event !== null && `event ${event}`,
      delivery !== null && `delivery ${delivery}`,
    ]),
    facts,
    details: headers.map(([name, value]): Detail => ({ kind: "header", name, value })),
  });
}

/** A sender owns the hook of its name, and no token opens that. */
const isSenders = ({ origin, credential, hook }: RequestRecord): boolean =>
  origin === "http" && credential !== null && credential === hook;

function credentialWords(request: RequestRecord): string | null {
  const { credential, origin } = request;
  if (credential === null || origin !== "http") return null;
  return isSenders(request) ? `proved by sender ${credential}` : `token ${credential}`;
}

const decidedTitles = {
  accepted: "Decided",
  repeated: "Decided",
  skipped: "Decided",
  failed: "Decided",
  refused: "Refused",
  full: "Refused",
} as const;

function decidedStep(request: RequestRecord, others: number): Draft {
  const { outcome, reason, decision, mapping, createdAt } = request;
  const taken = decision?.mappings.find(({ takes }) => takes) ?? null;
  const filters = taken?.filters.length ?? 0;
  return draft("decided", {
    state: outcome === "refused" || outcome === "full" || outcome === "failed" ? "failed" : "done",
    at: createdAt,
    title: decidedTitles[outcome],
    text: decidedWords(request, taken, others),
    facts: { outcome, mapping, filters, allowed: decision?.policy?.allowed ?? null, reason, others },
    details: decision === null ? [] : decisionDetails(decision),
  });
}

function decidedWords(request: RequestRecord, taken: TriedMapping | null, others: number): string {
  const { outcome, reason, hook, mapping, decision } = request;
  const filters = taken?.filters ?? [];
  const took = [
    mapping !== null && `${mapping} took it`,
    filters.length > 0 &&
      `${filters.filter(({ holds }) => holds).length} of ${countWords(filters.length, "filter")} true`,
  ];
  const why = reason === null ? "no reason is kept" : reasonWords(reason);
  switch (outcome) {
    case "accepted":
      return listWords([
        ...took,
        mapping === null && `hook ${hook}`,
        decision?.policy?.allowed === true && "policy allows it",
      ]);
    case "repeated":
      return "it has the key of an earlier request";
    case "skipped":
      return isUntaken(request) ? "skipped, no mapping took it" : listWords([...took, `skipped: ${why}`]);
    case "failed":
      return listWords([...took, `failed: ${why}`]);
    case "full":
      return listWords([
        ...took,
        `too many runs are waiting${reason === null ? "" : `: ${reasonWords(reason)}`}`,
      ]);
    case "refused":
      return listWords([...took, why, others > 0 && `as ${countWords(others, "other request")}`]);
  }
}

/** What each filter met is below the step. */
const isUntaken = ({ decision }: RequestRecord): boolean =>
  decision !== null && decision.mappings.length > 0 && decision.mappings.every(({ takes }) => !takes);

const decisionDetails = ({ mappings, policy }: RequestDecision): Detail[] => [
  ...mappings.map((each): Detail => ({ kind: "mapping", ...each })),
  ...(policy === null ? [] : [{ kind: "policy", ...policy } as const]),
];

function storedStep({ runIds, eventIds, createdAt }: RequestRecord, more: number): Draft {
  const text = listWords([
    runIds.length === 1 ? `run ${runIds[0]}` : runIds.length > 1 && countWords(runIds.length, "run"),
    eventIds.length === 1
      ? `note ${eventIds[0]}`
      : eventIds.length > 1 && countWords(eventIds.length, "note"),
    more > 0 && `${more} of them not shown here`,
  ]);
  const facts = { runIds, eventIds, more };
  if (text === "")
    return draft("stored", {
      state: "none",
      title: "No run",
      text: "nothing was stored but this request",
      facts,
    });
  return draft("stored", { state: "done", at: createdAt, title: "Stored", text, facts });
}

/** What the caller heard. Nobody waits for an answer to a mail, a schedule or a replay. */
function answeredSteps(request: RequestRecord): Draft[] {
  if (request.origin !== "http") return [];
  const { outcome, createdAt } = request;
  const asAccepted = isSenders(request) && outcome !== "full" && outcome !== "failed";
  const status = asAccepted ? null : statusOf(request);
  const text =
    outcome === "repeated"
      ? "with the first response again"
      : asAccepted
        ? outcome === "refused"
          ? "as if it were accepted, because senders switch off what answers 4xx"
          : "as if it were accepted"
        : status === null
          ? "with an error"
          : String(status);
  const facts = { status, asAccepted };
  return [draft("answered", { state: "done", at: createdAt, title: "Answered", text, facts })];
}

/** A refusal's reason begins with its code. */
function statusOf({ outcome, reason }: RequestRecord): number | null {
  if (outcome === "skipped") return 204;
  if (outcome === "failed") return 500;
  if (outcome === "full") return 503;
  const [code = ""] = (reason ?? "").split(":", 1);
  return Object.hasOwn(catalogue, code) ? catalogue[code as keyof typeof catalogue].status : null;
}

function nothingSteps({ outcome, runIds, eventIds }: RequestRecord): Draft[] {
  const first = listWords([
    runIds.length > 0 && `run ${runIds[0]}`,
    eventIds.length > 0 && `note ${eventIds[0]}`,
  ]);
  const stored =
    outcome === "repeated"
      ? `the first request led to ${first === "" ? "what was asked" : first}`
      : "nothing was stored but this request";
  return [
    draft("stored", { state: "none", title: "No run", text: stored, facts: { runIds, eventIds, more: 0 } }),
    draft("prompt", {
      state: "none",
      title: "No prompt",
      text: "no agent saw it",
      facts: { characters: null, texts: [], signals: null },
    }),
    draft("reply", {
      state: "none",
      title: "No reply",
      text: "nobody was told",
      facts: { characters: null, inputTokens: 0, outputTokens: 0, cost: 0 },
    }),
  ];
}

export function noteStep({ id, createdAt, shownAt }: SystemEvent): Draft {
  const facts = { eventId: id, shownAt };
  const title = "Note";
  if (shownAt === null)
    return draft("note", { state: "to-come", title, text: "waits for the main session's next turn", facts });
  const durationMs = Math.max(0, shownAt - createdAt);
  const text = `shown to the main session after ${durationWords(durationMs)}`;
  return draft("note", { state: "done", at: shownAt, durationMs, title, text, facts });
}

export const replayedStep = ({ id, outcome, createdAt }: RequestRecord): Draft =>
  draft("replayed", {
    state: "done",
    at: createdAt,
    title: "Replayed",
    text: `through the present configuration as request ${id}, ${outcome}`,
    facts: { requestId: id, outcome },
  });

// What follows from a run's end: its reply, its summary, its deliveries, a retry.
import type { Delivery } from "../core/delivery.ts";
import type { Run, RunReport } from "../core/run.ts";
import type { RunFacts } from "./facts.ts";
import { draft, type Detail, type Draft, type StepFacts, type StepState } from "./step.ts";
import { countWords, listWords, numberWords, reasonWords } from "./words.ts";

export function replyStep({ run }: Pick<RunFacts, "run">): Draft {
  const { reply, report, endedAt, status, error } = run;
  const noted = reportDetails(report);
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = report ?? {};
  const facts = { characters: reply?.length ?? null, inputTokens, outputTokens, cost };
  if (endedAt === null) return draft("reply", { state: "to-come", title: "Reply", text: "to come", facts });
  const used = [
    inputTokens + outputTokens > 0 &&
      `${numberWords(inputTokens)} tokens in, ${numberWords(outputTokens)} out`,
    cost > 0 && `cost ${cost.toFixed(3)}`,
  ];
  if (reply === null)
    return draft("reply", {
      state: "none",
      at: endedAt,
      title: "No reply",
      text: listWords([status === "timed-out" ? "the run timed out" : `the run ${endWord(status)}`, ...used]),
      facts,
      details: [...(error === null ? [] : [textDetail("reason", error)]), ...noted],
    });
  return draft("reply", {
    state: "done",
    at: endedAt,
    title: "Reply",
    text: listWords([countWords(reply.length, "character"), ...used]),
    facts,
    details: [textDetail("reply", reply), ...noted],
  });
}

const textDetail = (label: string, text: string): Detail => ({ kind: "text", label, text });

const reportDetails = (report: RunReport | null): Detail[] => [
  ...(report?.warnings ?? []).map((warning) => textDetail("warning", warning)),
  ...(report && report.toolsGranted.length > 0
    ? [textDetail("tools granted", report.toolsGranted.join(", "))]
    : []),
];

const endWord = (status: Run["status"]): string => (status === "cancelled" ? "was cancelled" : status);

/** In the order in which they happened. First what did not happen, last what goes on or is to come. */
export function afterwardsSteps(facts: RunFacts): Draft[] {
  const steps = [...deliverySteps(facts), summaryStep(facts), ...retrySteps(facts)];
  const placeOf = ({ at, state }: Draft): number => at ?? (state === "none" ? 0 : Number.MAX_SAFE_INTEGER);
  return steps.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function summaryStep({ run, summary }: RunFacts): Draft {
  const facts = { eventId: summary?.id ?? null, shownAt: summary?.shownAt ?? null };
  const none = (text: string): Draft => draft("summary", { state: "none", title: "No summary", text, facts });
  if (run.kind === "heartbeat") return none("a heartbeat is the main session's own turn");
  if (run.endedAt === null)
    return draft("summary", { state: "to-come", title: "Summary", text: "to come", facts });
  if (summary === null) return none("it is not kept any more");
  if (summary.shownAt === null)
    return draft("summary", {
      state: "to-come",
      title: "Summary",
      text: "waits for the main session's next turn",
      facts,
    });
  const text = "shown to the main session";
  return draft("summary", { state: "done", at: summary.shownAt, title: "Summary", text, facts });
}

function deliverySteps({ run, deliveries }: RunFacts): Draft[] {
  if (deliveries.length > 0) return deliveries.map(deliveryStep);
  const none = (state: StepState, title: string, text: string): Draft[] => [
    draft("delivered", { state, title, text, facts: noDelivery }),
  ];
  if (run.kind === "heartbeat")
    return run.endedAt === null ? [] : none("none", "No delivery", "it had nothing to tell");
  if (!run.request.deliver) return none("none", "No delivery", "it was not asked for");
  if (run.endedAt === null) return none("to-come", "Delivery", `to come, on ${run.request.channel}`);
  return none(
    "none",
    "No delivery",
    run.reply === null ? "there is no reply to send" : "it is not kept any more",
  );
}

const noDelivery: StepFacts["delivered"] = {
  deliveryId: null,
  channel: null,
  to: null,
  status: null,
  attempts: 0,
  sentMessages: 0,
  error: null,
};

/** The reason that `runner/` stores for a reply that only says that nothing needs attention. */
const acknowledgement = "heartbeat acknowledgement";

function deliveryStep(delivery: Delivery): Draft {
  const { id, channel, to, status, attempts, sentMessages, error, createdAt, endedAt } = delivery;
  const facts = { deliveryId: id, channel, to, status, attempts, sentMessages, error };
  const target = to === null ? channel : `${channel}, ${to}`;
  const sent = sentMessages > 0 && countWords(sentMessages, "message");
  const why = error === null ? "" : `: ${reasonWords(error)}`;
  const step = (state: StepState, title: string, text: string, at: number | null = null): Draft =>
    draft("delivered", {
      state,
      title,
      text,
      at,
      facts,
      durationMs: at === null ? null : Math.max(0, at - createdAt),
    });
  switch (status) {
    case "sent":
      return step("done", "Delivered", listWords([target, sent]), endedAt);
    case "suppressed":
      return step(
        "none",
        "No delivery",
        error === acknowledgement ? "acknowledgement only" : `on ${target}${why}`,
      );
    case "waiting":
      return step("now", "Delivery", listWords([waitingWords(target, delivery), sent]));
    case "failed":
      return step(
        "failed",
        "Delivery",
        listWords([`${target}, failed${why}`, sent && `${sent} before that`]),
        endedAt,
      );
    case "unknown":
      return step("failed", "Delivery", listWords([`${target}, unknown${why}`, sent]), endedAt);
  }
}

const waitingWords = (target: string, { attempts, error }: Delivery): string =>
  attempts === 0 || error === null
    ? `${target}, being sent`
    : `${target}, tried ${countWords(attempts, "time")} so far: ${reasonWords(error)}`;

function retrySteps({ run, retry }: RunFacts): Draft[] {
  if (run.retriedAs === null) return [];
  const facts = { runId: run.retriedAs, status: retry?.status ?? null };
  const text = `by an operator as run ${run.retriedAs}${retry === null ? "" : `, ${retry.status}`}`;
  return [draft("retried", { state: "done", at: retry?.createdAt ?? null, title: "Retried", text, facts })];
}

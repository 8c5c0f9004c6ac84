// Kept requests sent again through the present configuration: one, or many at a rate.
import { z } from "zod";
import type { Operations } from "../../sdk/client/shapes.ts";
import { split, textsBlock } from "../items.ts";
import * as take from "../parameters.ts";
import { changeTool, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";

const replayFields = ["id", "outcome", "runIds", "eventIds", "replayOf"];

const payload = z.unknown().optional().describe("In place of the kept body, as JSON.");

const replayRequest = changeTool({
  name: "replay_request",
  title: "Replay a request",
  description:
    "Sends a kept request again through the present configuration, as a new request with new runs. The plan says which mapping would take it and which agents would run.",
  input: { id: take.id, payload },
  output: {},
  hints: { openWorldHint: true },
  async plan({ id, payload }, { ask, signal }) {
    const decided = await ask(
      "replayRequest",
      { id, dryRun: true, body: payload === undefined ? {} : { payload } },
      { signal },
    );
    if ("id" in decided) throw new Error("a dry run was a replay");
    const { outcome, reason, mapping, actions } = decided;
    const possible = outcome === "accepted" || outcome === "not-run";
    const says =
      outcome === "accepted"
        ? `a replay of ${id} is accepted, with ${counted(actions.length, "action")}.`
        : outcome === "not-run"
          ? `a replay of ${id} goes to a mapping with a transform, which only the replay itself runs.`
          : `A replay of ${id} would lead to nothing: ${outcome}.`;
    return {
      possible,
      says,
      fields: split({ outcome, mapping }, ["outcome", "mapping"]).ours,
      outside: textsBlock("what it would lead to", [
        ...(reason === null ? [] : [{ key: {}, texts: { reason } }]),
        ...actions.map((action, at) => ({ key: { action: at + 1 }, texts: split(action, []).texts })),
      ]),
    };
  },
  async act({ id, payload }, { ask, post }) {
    const replayed = await ask("replayRequest", { id, body: payload === undefined ? {} : { payload } }, post);
    if (!("id" in replayed)) throw new Error("a replay was a dry run");
    const { ours: known, texts } = split(replayed, replayFields);
    return {
      says: `Request ${id} was replayed as ${replayed.id}: ${replayed.outcome}.`,
      fields: known,
      outside: textsBlock("why", [{ key: {}, texts }]),
    };
  },
});

const selection = {
  since: z.string().min(1).max(100).describe("From this on: `30m`, `1h`, `2d` ago, or a time with its zone."),
  until: take.window.until,
  hook: take.hook,
  outcome: take.outcome.describe("Left out: all but repetitions."),
  status: take.runStatus.describe("Of a run that they led to, such as `failed`."),
  limit: z.int().min(1).max(1_000_000).optional().describe("At most so many, the oldest."),
  again: z.boolean().default(false).describe("Also those of which a replay has been accepted."),
  perMinute: z.int().min(1).max(60_000).default(60),
  batch: z.string().min(1).max(64).optional().describe("To go on with a batch that was stopped."),
};

type Selection = z.output<z.ZodObject<typeof selection>>;

const selected = ({ hook, ...rest }: Selection) =>
  take.given({ ...rest, hook: hook === undefined ? undefined : [hook] });

const replayRequests = changeTool({
  name: "replay_requests",
  title: "Replay many requests",
  description:
    "Replays kept requests of a time, oldest first, at a rate, in the background of the gateway. The plan says how many, on which agents, and what such runs have cost. Look with list_replays how far it is.",
  input: selection,
  output: {},
  hints: { openWorldHint: true },
  async plan(given, { ask, signal }) {
    const plan = await ask("replayRequests", { dryRun: true, body: selected(given) }, { signal });
    return {
      possible: plan.count > 0,
      says: `${counted(plan.count, "request")}, ${plan.perMinute} a minute, in about ${counted(plan.seconds, "second")}; ${counted(plan.runs, "run")} of those that could be decided.`,
      ...planned(plan),
      notes: ["For exactly these requests, give `since` and `until` as they stand above."],
    };
  },
  async act(given, { ask, post }) {
    const plan = await ask("replayRequests", { body: selected(given) }, post);
    const says =
      plan.batch === null
        ? "There is nothing to replay."
        : `${counted(plan.count, "request")} in the batch ${plan.batch}, which has begun. See list_replays.`;
    return { says, ...planned(plan) };
  },
});

const planFields = [
  "since",
  "until",
  "count",
  "replayedBefore",
  "runs",
  "undecided",
  "perMinute",
  "seconds",
  "batch",
  "pastAgents",
];

function planned({ estimate, ...plan }: Operations["replayRequests"]["answer"]) {
  const { ours: known, texts } = split(plan, planFields);
  return { fields: { ...known, estimate }, outside: textsBlock("counts by name", [{ key: {}, texts }]) };
}

const listReplays = readTool({
  name: "list_replays",
  title: "List replays",
  description:
    "The replays of many requests that this gateway has started since its own start, newest first, with how far each is.",
  input: take.paging,
  output: { items: z.array(z.looseObject({})), nextCursor: z.string().nullable() },
  async handle(given, { ask, signal }) {
    const page = await ask("listReplays", take.given(given), { signal });
    const shown = page.items.map(({ outcomes, ...replay }) => ({
      ...split(replay, ["batch", "state", "count", "done", "startedAt"]).ours,
      outcomes: Object.fromEntries(Object.entries(outcomes).slice(0, 20)),
    }));
    return {
      says: `${counted(shown.length, "replay")}.`,
      fields: { items: shown, nextCursor: page.nextCursor },
    };
  },
});

export const replayTools: readonly Tool[] = [replayRequest, replayRequests, listReplays];

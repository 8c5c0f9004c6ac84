// One run with a program that speaks the protocol, from the first message to the program's end.
//
// initialize → session/resume, session/load or session/new → settings → session/prompt → its response
// interrupted at any point: session/cancel, a moment for the agent to wind up, then the program is ended
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { client, type ClientConnection } from "@agentclientprotocol/sdk";
import type { PermissionKind } from "../../config/config.ts";
import { onAbort } from "../../core/abort.ts";
import type { AgentOutcome } from "../../core/outcome.ts";
import type { AgentInput } from "../agent.ts";
import { type Failed, failed } from "../failure.ts";
import type { OutsideTexts } from "../outside-texts.ts";
import { messagesOf, NotSpoken } from "./messages.ts";
import { brokenOutcome, finishedOutcome } from "./outcome.ts";
import { canAllow, choose } from "./permission.ts";
import type { Program } from "../../processes/program.ts";
import { initialize, openSession } from "./session.ts";
import { applySettings } from "./settings.ts";
import { changes, createUpdates, type Updates } from "./updates.ts";

export type Talk = {
  program: Program;
  input: AgentInput;
  config: { command: string; workspace: string; allow: readonly PermissionKind[] };
  /** How long the program may take to its first response. */
  startMs: number;
  texts: Pick<OutsideTexts, "conversation">;
};

const longestReply = 1_048_576;
/** How long an agent has to cancel before its program is ended. */
const cancelMs = 300;
/** After so long without a notification, a loaded session has repeated everything. */
const quietMs = 250;
const mostWaits = 20;
/** How long a program has to end after its input was closed. */
const leaveMs = 1000;

type State = { initialized: boolean; sessionId: string | null; warnings: string[] };
type Result = { response: unknown } | { fault: unknown };

export async function converse(talk: Talk, signal: AbortSignal): Promise<AgentOutcome> {
  const { program, input, config } = talk;
  const state: State = { initialized: false, sessionId: null, warnings: [] };
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<Failed>();
  const stop = () => interrupt(failed("it was stopped", true));
  const updates = createUpdates({
    longestReply,
    onActing: () => void mayAct(input).then((may) => (may ? undefined : stop())),
    onTooMuch: ({ message }) => interrupt(failed(message)),
    onEvent: input.onEvent,
  });
  const release = onAbort(signal, stop);

  const connection = connect(talk, updates);
  const asking: Promise<Result> = ask(talk, connection, updates, state).then(
    (response) => ({ response }),
    (fault: unknown) => ({ fault }),
  );
  const first = await Promise.race([asking, interrupted]);
  release();
  const isInterrupted = "kind" in first;
  if (isInterrupted) await cancel(connection, state, asking);
  const end = await program.leave(isInterrupted ? 0 : leaveMs);
  connection.close();

  const seen = updates.report();
  const warnings = [...state.warnings, ...(seen.warnings ?? [])];
  const report = warnings.length === 0 ? seen : { ...seen, warnings };
  if (isInterrupted) return { ...first, report };
  if ("fault" in first)
    return { ...brokenOutcome(first.fault, end, config.command, state.initialized), report };
  const finish = { reply: updates.reply(), report, wasRefused: seen.warnings !== undefined };
  const outcome = finishedOutcome(first.response, finish);
  if (outcome.kind === "failed" || state.sessionId === null) return outcome;
  return { ...outcome, report: { ...outcome.report, foreignSession: state.sessionId } };
}

function connect({ program, input, config }: Talk, updates: Updates): ClientConnection {
  const raw = (params: unknown): unknown => params;
  return client({ name: "rouse" })
    .onNotification("session/update", raw, ({ params }) => updates.take(params))
    .onRequest("session/request_permission", async ({ params }) => {
      const call = updates.call(params.toolCall);
      const mayBe = config.allow.some((kind) => kind === call.kind) && canAllow(params.options);
      const isAllowed = mayBe && (!changes(call.kind) || (await mayAct(input)));
      call.verdict = isAllowed ? "allowed" : "refused";
      return { outcome: choose(params.options, isAllowed) };
    })
    .connect(messagesOf(program.input, program.output));
}

async function ask(
  { input, config, startMs, texts }: Talk,
  connection: ClientConnection,
  updates: Updates,
  state: State,
): Promise<unknown> {
  const { agent } = connection;
  const givingUp = setTimeout(() => connection.close(new NotSpoken()), startMs);
  const continuing = await initialize(agent).finally(() => clearTimeout(givingUp));
  state.initialized = true;
  const session = await openSession(agent, continuing, { cwd: config.workspace, input, texts });
  const { sessionId, configOptions, prompt } = session;
  const settings = await applySettings({ agent, sessionId, configOptions }, input);
  for (const warning of [...session.warnings, ...settings]) state.warnings.push(warning);
  state.sessionId = sessionId;
  if (session.isRepeating) await quiet(updates);
  updates.follow(sessionId);
  const response = await agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: prompt }],
  });
  // Lets notifications that came before the response be handled first.
  await nextTurn();
  return response;
}

/** The protocol has a session repeat its history before it counts as loaded; Gemini CLI 0.61 does so afterwards. */
async function quiet(updates: Updates): Promise<void> {
  for (let waits = 0, before = -1; before !== updates.count() && waits < mostWaits; waits++) {
    before = updates.count();
    await delay(quietMs);
  }
}

async function cancel(
  connection: ClientConnection,
  { sessionId }: State,
  asking: Promise<Result>,
): Promise<void> {
  if (sessionId === null) return;
  connection.agent.notify("session/cancel", { sessionId }).catch(() => {});
  const waiting = new AbortController();
  const waited = delay(cancelMs, undefined, { signal: waiting.signal }).catch(() => {});
  await Promise.race([asking, waited]);
  waiting.abort();
}

const mayAct = async (input: AgentInput): Promise<boolean> => {
  try {
    return await input.onActing();
  } catch {
    return false;
  }
};

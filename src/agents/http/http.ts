// An agent that is the user's own service: one POST with the turn, its answer is the reply.
import type { AgentConfig } from "../../config/config.ts";
import { traceHeaders } from "../../core/trace.ts";
import type { Agent, AgentInput } from "../agent.ts";
import { failed } from "../failure.ts";
import { outcomeOf } from "./answer.ts";
import { createService, isReset } from "./post.ts";
import { codeOf } from "../../core/errors.ts";
import { signatureHeaders } from "../../core/standard-webhooks.ts";

export type HttpConfig = Extract<AgentConfig, { kind: "http" }>;

export function createHttpAgent({ url, secret }: HttpConfig, { now = Date.now } = {}): Agent {
  const service = createService(new URL(url));
  return {
    async run(turn, signal) {
      const body = JSON.stringify(bodyOf(turn));
      const headers = {
        ...plainHeaders(body),
        ...traceHeaders(turn.trace),
        ...signed(turn, body, secret, now()),
      };
      let doing = "the service could not be reached";
      try {
        const answer = await service.post({ headers, body }, signal);
        doing = "the service's answer was cut off";
        try {
          return await outcomeOf(answer, now);
        } finally {
          answer.body.destroy();
        }
      } catch (fault) {
        return failed(
          signal.aborted ? "it was stopped" : `${doing}: ${isReset(fault) ? "ECONNRESET" : codeOf(fault)}`,
          true,
        );
      }
    },
  };
}

const bodyOf = (turn: AgentInput) => ({
  runId: turn.runId,
  agentId: turn.agentId,
  sessionKey: turn.sessionKey,
  instructions: turn.instructions,
  data: turn.data,
  message: turn.prompt,
  model: turn.model,
  thinking: turn.thinking,
  timeoutSeconds: turn.timeoutSeconds,
  ...(turn.conversation === null ? {} : { history: turn.conversation.history }),
});

const plainHeaders = (body: string): Record<string, string> => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  accept: "application/json, text/event-stream",
  "user-agent": "rouse",
});

/** The run's id is the message's: the same for every attempt, so that a service can tell a repetition. */
const signed = (turn: AgentInput, body: string, secret: string | null, now: number): Record<string, string> =>
  secret === null
    ? {}
    : signatureHeaders({ id: turn.runId, timestampSeconds: Math.floor(now / 1000), body, secret });

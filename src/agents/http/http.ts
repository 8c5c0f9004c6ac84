// An agent that is the user's own service: one POST with the input, whose response is the reply.
import type { AgentConfig } from "../../config/config.ts";
import { traceHeaders } from "../../core/trace.ts";
import type { Agent, AgentInput } from "../agent.ts";
import { failed } from "../failure.ts";
import { inputJson } from "../input-json.ts";
import { outcomeOf } from "./response.ts";
import { createService, isReset } from "./post.ts";
import { codeOf } from "../../core/errors.ts";
import { signatureHeaders } from "../../core/standard-webhooks.ts";

export type HttpConfig = Extract<AgentConfig, { kind: "http" }>;

export function createHttpAgent({ url, secret }: HttpConfig, { now = Date.now } = {}): Agent {
  const service = createService(new URL(url));
  return {
    async run(input, signal) {
      const body = inputJson(input);
      const headers = {
        ...plainHeaders(body),
        ...traceHeaders(input.trace),
        ...signed(input, body, secret, now()),
      };
      let doing = "the service could not be reached";
      try {
        const response = await service.post({ headers, body }, signal);
        doing = "the service's response was cut off";
        try {
          return await outcomeOf(response, now, input.onEvent);
        } finally {
          response.body.destroy();
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

const plainHeaders = (body: string): Record<string, string> => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  accept: "application/json, text/event-stream",
  "user-agent": "rouse",
});

/** The run's id is the message's: the same for every attempt, so that a service can tell a repetition. */
const signed = (
  input: AgentInput,
  body: string,
  secret: string | null,
  now: number,
): Record<string, string> =>
  secret === null
    ? {}
    : signatureHeaders({ id: input.runId, timestampSeconds: Math.floor(now / 1000), body, secret });

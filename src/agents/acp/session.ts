// Opens the agent's session: that of an earlier run where it can be continued, a new one otherwise.
import { type ClientContext, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { AgentInput } from "../agent.ts";
import type { OutsideTexts } from "../outside-texts.ts";
import { NotSpoken } from "./messages.ts";

const initialized = z.object({
  protocolVersion: z.literal(PROTOCOL_VERSION),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().catch(false),
      sessionCapabilities: z
        .object({ resume: z.object({}).nullish() })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
const opened = z.object({ sessionId: z.string().min(1), configOptions: z.unknown().optional() });

export type Session = {
  sessionId: string;
  configOptions: unknown;
  prompt: string;
  /** The agent repeats the history of the session in notifications. */
  isRepeating: boolean;
  warnings: string[];
};
type Continuing = "session/resume" | "session/load" | null;

/** The ways in which it can continue a session. */
export async function initialize(agent: ClientContext): Promise<Continuing> {
  const response = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "rouse", version: "0" },
  });
  const { data } = initialized.safeParse(response);
  if (data === undefined) throw new NotSpoken();
  const capabilities = data.agentCapabilities;
  if (capabilities?.sessionCapabilities?.resume != null) return "session/resume";
  return capabilities?.loadSession === true ? "session/load" : null;
}

type Opening = { cwd: string; input: AgentInput; texts: Pick<OutsideTexts, "conversation"> };

export async function openSession(
  agent: ClientContext,
  continuing: Continuing,
  { cwd, input, texts }: Opening,
): Promise<Session> {
  const { conversation, prompt } = input;
  const warnings: string[] = [];
  const earlier = conversation?.foreignSession ?? null;
  if (earlier !== null && continuing !== null) {
    const configOptions = await resume(agent, continuing, earlier, cwd);
    const isRepeating = continuing === "session/load";
    if (configOptions !== notThere)
      return { sessionId: earlier, configOptions, prompt, isRepeating, warnings };
    warnings.push(
      "The agent could not continue its own session, so the conversation was given to it as text.",
    );
  }
  const { data } = opened.safeParse(await agent.request("session/new", { cwd, mcpServers: [] }));
  if (data === undefined) throw new NotSpoken();
  return {
    sessionId: data.sessionId,
    configOptions: data.configOptions,
    prompt: await texts.conversation(input),
    isRepeating: false,
    warnings,
  };
}

const notThere = Symbol("not there");

async function resume(
  agent: ClientContext,
  continuing: NonNullable<Continuing>,
  sessionId: string,
  cwd: string,
): Promise<unknown> {
  try {
    const response = await agent.request(continuing, { sessionId, cwd, mcpServers: [] });
    return (response as { configOptions?: unknown } | null)?.configOptions;
  } catch (fault) {
    if (fault instanceof RequestError) return notThere;
    throw fault;
  }
}

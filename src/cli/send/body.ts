// Builds the body of `rouse send`: JSON from its options, or the content of a file as it is.
import { nearest } from "../../core/nearest.ts";
import { wakeModes } from "../../core/action.ts";
import { longestRunSeconds } from "../../core/run.ts";
import { lastChannel, platforms } from "../../core/target.ts";
import { readWholeNumber, type Values } from "../terminal/arguments.ts";
import { WrongUsage } from "../command.ts";
import { readBodyFile } from "./request-options.ts";

const text = { type: "string" } as const;

const mode = { type: "string", values: wakeModes } as const;
export const wakeFlags = { mode } as const;
export const agentFlags = {
  name: text,
  agent: text,
  "session-key": text,
  channel: { type: "string", values: [lastChannel, ...platforms] },
  to: text,
  model: text,
  thinking: text,
  timeout: text,
  "no-deliver": { type: "boolean" },
  "wake-mode": mode,
} as const;

export const fileFlag = { file: { type: "string", file: true } } as const;
type BodyValues = Values<typeof wakeFlags & typeof agentFlags & typeof fileFlag>;

/** `readInput` reads all of standard input. */
export async function makeBody(
  hook: string,
  message: string | undefined,
  values: BodyValues,
  readInput: () => Promise<string>,
): Promise<string | Buffer> {
  if (values.file !== undefined) {
    if (message !== undefined) throw new WrongUsage("Give either text or --file, not both.");
    refuseFlags(values, { ...wakeFlags, ...agentFlags }, "with --file, whose body is sent as it is");
    return readBodyFile(values.file, readInput);
  }
  if (hook !== "wake" && hook !== "agent")
    throw new WrongUsage(
      `${meant(hook)}Give the body for ${hook}: --file FILE, or --file - for standard input`,
    );
  if (message === undefined) throw new WrongUsage(`Say what to send: send ${hook} "text"`);
  if (hook === "wake") {
    refuseFlags(values, agentFlags, "with wake");
    return JSON.stringify({ text: message, mode: values.mode });
  }
  refuseFlags(values, wakeFlags, "with agent; it is --wake-mode there");
  return JSON.stringify(agentPayload(message, values));
}

/** Text is sent only to the built-in hooks, so with text one of them was meant. */
function meant(hook: string): string {
  const near = nearest(hook, ["wake", "agent"]);
  return near ? `Did you mean ${near}? ` : "";
}

const agentPayload = (message: string, values: BodyValues) => ({
  message,
  name: values.name,
  agentId: values.agent,
  sessionKey: values["session-key"],
  channel: values.channel,
  to: values.to,
  model: values.model,
  thinking: values.thinking,
  timeoutSeconds:
    values.timeout === undefined
      ? undefined
      : readWholeNumber("--timeout", values.timeout, 1, longestRunSeconds),
  deliver: values["no-deliver"] ? false : undefined,
  wakeMode: values["wake-mode"],
});

function refuseFlags(values: object, flags: object, where: string): void {
  const given = Object.keys(flags).find((name) => Object.hasOwn(values, name));
  if (given) throw new WrongUsage(`--${given} has no meaning ${where}.`);
}

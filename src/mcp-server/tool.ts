// A tool: what it takes, what it answers, and what it does. One that changes something says what it would do until it
// is told to do it.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { AskOptions, Gateway } from "./gateway.ts";
import type { ToolResult } from "./result.ts";

/** The gateway, for one call of a tool. */
export type Calls = {
  ask: Gateway["ask"];
  signal: AbortSignal;
};

export type Hints = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodRawShape;
  readonly hints: Hints;
  handle(given: Readonly<Record<string, unknown>>, calls: Calls): Promise<ToolResult>;
};

type Given<Input extends z.ZodRawShape> = z.output<z.ZodObject<Input>>;

type About<Input extends z.ZodRawShape> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Its own fields, beside those of every result. */
  output: z.ZodRawShape;
};

const reading: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const readTool = <Input extends z.ZodRawShape>({
  hints = {},
  handle,
  ...about
}: About<Input> & {
  hints?: Partial<Hints>;
  handle: (given: Given<Input>, calls: Calls) => Promise<ToolResult>;
}): Tool => ({
  ...about,
  input: z.strictObject(about.input),
  hints: { ...reading, ...hints },
  handle,
});

const changing: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

const confirm = z
  .boolean()
  .default(false)
  .describe("false: only says what would happen. true: does it. Ask the user first.");
const key = z
  .string()
  .regex(/^[\w-]{1,100}$/)
  .optional()
  .describe("The key that the plan gave: what is called twice with it is done once.");

export type ChangeCalls = Calls & { post: Pick<AskOptions, "key" | "signal"> };
/** `possible` false: the plan is that nothing would happen. */
export type Plan = ToolResult & { possible?: boolean };

type Change<Input extends z.ZodRawShape> = About<Input> & {
  hints: Partial<Hints>;
  /** Whether it is a POST, which is done once under its key. */
  isPost?: boolean;
  /** Changes nothing. */
  plan: (given: Given<Input>, calls: Calls) => Promise<Plan>;
  act: (given: Given<Input>, calls: ChangeCalls) => Promise<ToolResult>;
};

export const changeTool = <Input extends z.ZodRawShape>({
  hints,
  plan,
  act,
  isPost = true,
  ...about
}: Change<Input>): Tool => ({
  ...about,
  input: z.strictObject({ ...about.input, confirm, ...(isPost && { key }) }),
  output: { ...about.output, done: z.boolean().describe("false: this was only a plan.") },
  hints: { ...changing, ...hints },
  async handle(given, calls) {
    const { confirm: isSure, key: chosen, ...rest } = given as { confirm: boolean; key?: string };
    const own = rest as Given<Input>;
    if (!isSure) return asPlan(await plan(own, calls), isPost);
    const result = await act(own, { ...calls, post: { key: chosen, signal: calls.signal } });
    return { ...result, fields: { ...result.fields, done: true } };
  },
});

function asPlan({ possible = true, ...plan }: Plan, isPost: boolean): ToolResult {
  const { says, fields, notes = [] } = plan;
  if (!possible) return { ...plan, fields: { ...fields, done: false } };
  const ownKey = isPost ? { key: randomUUID() } : {};
  const withKey = isPost ? ` and key: "${ownKey.key}"` : "";
  const how = `Nothing was done yet. To do it, call this again with the same arguments, confirm: true${withKey}.`;
  return {
    ...plan,
    says: `Plan: ${says}`,
    fields: { ...fields, done: false, ...ownKey },
    notes: [...notes, how],
  };
}

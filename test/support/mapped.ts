// For tests of mapped hooks: the run of a request, the mapping that took it, the record of a request that led to
// nothing.
import assert from "node:assert/strict";
import { plainText } from "../../src/core/message.ts";
import type { Run } from "../../src/core/run.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import { type ParsedBlock, parseFences } from "../../src/untrusted/fence.ts";
import type { TestGateway } from "./gateway.ts";

/** A mapping for a path. Its message names the mapping, and it wakes no main session. */
export const mapping = (path: string, more: object = {}) => ({
  id: path,
  match: { path },
  wakeMode: "next-heartbeat",
  deliver: false,
  messageTemplate: `taken by ${path}`,
  ...more,
});

export async function runOf({ inspect }: TestGateway, response: RawResponse): Promise<Run> {
  assert.equal(response.status, 202, response.text);
  const run = await inspect.findRun(String(response.json["runId"]));
  assert.ok(run, "the run is in the store");
  return run;
}

export const messageOf = async (gateway: TestGateway, response: RawResponse): Promise<string> =>
  plainText((await runOf(gateway, response)).request.message);

/** The agents of these tests are of kind `echo`: the reply is the prompt. */
export async function promptOf(gateway: TestGateway, response: RawResponse): Promise<string> {
  assert.equal(response.status, 202, response.text);
  return (await gateway.ended(response.json["runId"])).reply ?? "";
}

export const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export type SeenPrompt = {
  whole: string;
  /** The text outside of the blocks. */
  outside: string;
  blocks: readonly Pick<ParsedBlock, "id" | "label" | "text">[];
};

export function readPrompt(whole: string): SeenPrompt {
  const parsed = parseFences(whole);
  const lines = whole.split("\n").filter((line) => !line.startsWith("| ") && !/^\[(?:begin|end) /.test(line));
  return {
    whole,
    outside: lines.join("\n"),
    blocks: parsed.map(({ id, label, text }) => ({ id, label, text })),
  };
}

/** The newest record of a request that led to nothing. */
export async function lastRecord({ inspect }: TestGateway): Promise<RequestRecord & { reason: string }> {
  const newest = (await inspect.listRequests({ limit: 50 })).find(({ outcome }) => outcome !== "accepted");
  assert.ok(newest, "there is a record");
  return { ...newest, reason: newest.reason ?? "" };
}

/** The source of a transform whose function has this body. */
export const moduleOf = (body: string): string => `export default function (input, action) { ${body} }\n`;

export const codeOf = ({ status, json }: RawResponse): [number, unknown] => [status, json["code"]];

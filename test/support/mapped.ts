// What tests of mapped hooks look at: the run a request became, the mapping that took it, the record of a request
// that became nothing.
import assert from "node:assert/strict";
import { plainText } from "../../src/core/message.ts";
import type { Run } from "../../src/core/run.ts";
import type { RawResponse } from "../fixtures/raw-client.ts";
import type { RequestRecord } from "../../src/core/request.ts";
import { type ParsedBlock, parseFences } from "../../src/untrusted/fence.ts";
import type { TestGateway } from "./gateway.ts";

/** A mapping for a path that says what took the request and leaves the main session alone. */
export const mapping = (path: string, more: object = {}) => ({
  id: path,
  match: { path },
  wakeMode: "next-heartbeat",
  deliver: false,
  messageTemplate: `taken by ${path}`,
  ...more,
});

export async function runOf({ inspect }: TestGateway, answer: RawResponse): Promise<Run> {
  assert.equal(answer.status, 202, answer.text);
  const run = await inspect.findRun(String(answer.json["runId"]));
  assert.ok(run, "the run is in the store");
  return run;
}

export const messageOf = async (gateway: TestGateway, answer: RawResponse): Promise<string> =>
  plainText((await runOf(gateway, answer)).request.message);

/** The agents of these tests are of kind `echo`: the reply is the prompt. */
export async function promptOf(gateway: TestGateway, answer: RawResponse): Promise<string> {
  assert.equal(answer.status, 202, answer.text);
  return (await gateway.ended(answer.json["runId"])).reply ?? "";
}

export type SeenPrompt = {
  whole: string;
  /** Everything that stands outside of the blocks. */
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
export async function lastRecord({ inspect }: TestGateway): Promise<RequestRecord> {
  const [newest] = await inspect.listRequests({ limit: 1 });
  assert.ok(newest, "there is a record");
  return newest;
}

export const codeOf = ({ status, json }: RawResponse): [number, unknown] => [status, json["code"]];

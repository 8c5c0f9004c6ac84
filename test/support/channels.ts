// For tests of delivered replies: agents with known replies, a Telegram server of ours, and runs with their deliveries.
import assert from "node:assert/strict";
import { type PlatformCall, startPlatform } from "../fixtures/recording-platform.ts";
import { program, replying, type TestGateway } from "./gateway.ts";

const longReply = Array.from({ length: 9 }, (_, at) => `Part ${at}. ${"word ".repeat(180)}`).join("\n\n");
const list = [
  replying("green", "All **green**."),
  replying("quiet", "HEARTBEAT_OK"),
  replying("long", longReply),
  program("named", "process.stdout.write(process.env.ROUSE_RUN_ID)"),
  program("main", `process.stdout.write(process.env.ROUSE_SESSION_KEY === "main" ? "Look!" : "Done.")`),
];
export const agents = { list: list.map((agent) => ({ ...agent, default: agent["id"] === "main" })) };

/** Chat 666 refuses everything. */
export const telegram = () =>
  startPlatform(({ json }) =>
    (json as { chat_id?: unknown }).chat_id === 666
      ? {
          status: 403,
          json: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
        }
      : { json: { ok: true, result: { message_id: 1 } } },
  );

export const sentTo = (calls: readonly PlatformCall[]) =>
  calls.map(({ json }) => json as { chat_id: unknown; text: string });

/** Sends a request and waits for its run and the ends of its deliveries. */
export async function runAndDeliver(
  gateway: TestGateway,
  agentId: string,
  fields: Record<string, unknown> = {},
  hook = "agent",
) {
  const request = { message: "m", wakeMode: "next-heartbeat", agentId, ...fields };
  const { json, status } = await gateway.post(hook, request);
  assert.equal(status, 202, JSON.stringify(json));
  const ended = await gateway.ended(json["runId"]);
  const deliveries = await gateway.waitFor("the end of its deliveries", async () => {
    const found = await gateway.deliveries(ended.id);
    return found.every(({ status: each }) => each !== "waiting") && found;
  });
  return { ...ended, deliveries, delivery: deliveries[0] };
}

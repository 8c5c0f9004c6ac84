// A small agent, written with the other side of the library. Its first argument says how it behaves.
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  agent,
  type AgentContext,
  type ContentBlock,
  ndJsonStream,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
  type ToolKind,
} from "@agentclientprotocol/sdk";

const [mode = "echo", detail = ""] = process.argv.slice(2);
const cancelled = Promise.withResolvers<void>();
const choices = (...values: string[]) => values.map((value) => ({ value, name: `The ${value}` }));
const settings: SessionConfigOption[] = [
  {
    id: "m",
    name: "Model",
    type: "select",
    category: "model",
    currentValue: "small",
    options: choices("small", "big"),
  },
  {
    id: "t",
    name: "Thinking",
    type: "select",
    category: "thought_level",
    currentValue: "low",
    options: [{ group: "g", name: "Levels", options: choices("low", "high") }],
  },
];

type Ask = { client: AgentContext; sessionId: string; prompt: string };
const update = ({ client, sessionId }: Ask, what: SessionUpdate) =>
  client.notify("session/update", { sessionId, update: what });
const say = (ask: Ask, text: string) =>
  update(ask, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const textOf = (blocks: ContentBlock[]) =>
  blocks.map((block) => (block.type === "text" ? block.text : "?")).join("|");

function writeProcesses(...ids: (number | undefined)[]): void {
  writeFileSync(`${detail}.part`, [process.pid, ...ids].join(" "));
  renameSync(`${detail}.part`, detail);
}

async function useTool(ask: Ask): Promise<StopReason> {
  const kind = detail as ToolKind;
  await say(ask, "Let me see.");
  await update(ask, {
    sessionUpdate: "tool_call",
    toolCallId: "1",
    title: "Secret title",
    kind,
    name: "tool",
  });
  const { outcome } = await ask.client.request("session/request_permission", {
    sessionId: ask.sessionId,
    toolCall: { toolCallId: "1" },
    options: [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      ...(mode === "only-yes" ? [] : [{ optionId: "no", name: "No", kind: "reject_once" as const }]),
    ],
  });
  const isAllowed = outcome.outcome === "selected" && outcome.optionId === "yes";
  const status = isAllowed ? "completed" : "failed";
  await update(ask, { sessionUpdate: "tool_call_update", toolCallId: "1", status });
  if (outcome.outcome === "cancelled") return "cancelled";
  await say(ask, `Chosen: ${outcome.optionId}`);
  return "end_turn";
}

const behaviours: Record<string, (ask: Ask) => Promise<StopReason>> = {
  async steps(ask) {
    await say(ask, "First I look.");
    await update(ask, {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Look",
      kind: "read",
      status: "completed",
    });
    await say(ask, "Hel");
    await update(ask, { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" });
    await say(ask, "lo.");
    return "end_turn";
  },
  async many(ask) {
    for (let at = 0; at < 2000; at++) void say(ask, `${at} `);
    return "end_turn";
  },
  async long(ask) {
    for (;;) await say(ask, "x".repeat(100_000));
  },
  async stop(ask) {
    if (ask.prompt !== "silent") await say(ask, "So far.");
    return detail as StopReason;
  },
  async endless(ask) {
    await say(ask, "Soon.");
    if (detail !== "") writeProcesses();
    await cancelled.promise;
    return "cancelled";
  },
  async deaf(ask) {
    process.on("SIGTERM", () => {});
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; sleep 600; sleep 600"], { stdio: "inherit" });
    setInterval(() => {}, 1000);
    await say(ask, "Soon.");
    writeProcesses(child.pid);
    await new Promise(() => {});
    return "end_turn";
  },
  async leaving(ask) {
    const child = spawn("sleep", ["600"], { stdio: "inherit" });
    writeProcesses(child.pid);
    await say(ask, "Done.");
    return "end_turn";
  },
  permission: useTool,
  "only-yes": useTool,
  async unasked(ask) {
    await update(ask, {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Edit",
      kind: "edit",
      status: "in_progress",
    });
    await cancelled.promise;
    return "cancelled";
  },
  async crash(ask) {
    await update(ask, {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Edit",
      kind: "edit",
      status: "in_progress",
    });
    process.stderr.write("out of\nluck\n", () => process.exit(3));
    await new Promise(() => {});
    return "end_turn";
  },
  async silence() {
    process.stdout.end();
    setInterval(() => {}, 1000);
    await new Promise(() => {});
    return "end_turn";
  },
  async error() {
    if (detail === "auth") throw RequestError.authRequired();
    if (detail === "invalid") throw RequestError.invalidParams();
    throw new Error("the model is\nbusy");
  },
  async where(ask) {
    await say(ask, `${process.cwd()} ${Object.keys(process.env).toSorted().join(",")}`);
    return "end_turn";
  },
  async settings(ask) {
    await say(ask, settings.map((each) => String(each.currentValue)).join(" "));
    return "end_turn";
  },
  async load(ask) {
    if (detail === "late") await delay(200);
    await say(ask, `${ask.sessionId}: ${ask.prompt}`);
    return "end_turn";
  },
  async echo(ask) {
    await say(ask, ask.prompt);
    return "end_turn";
  },
};

if (mode === "noisy")
  for (const line of ["Welcome!", "{}", "[]", "7", '{"jsonrpc":"2.0","id":9,"result":{}}']) console.log(line);

agent({ name: "fixture" })
  .onRequest("initialize", () => ({
    protocolVersion: mode === "version" ? 2 : 1,
    agentCapabilities: {
      loadSession: mode === "load",
      ...(mode === "load" && detail === "resume" ? { sessionCapabilities: { resume: {} } } : {}),
    },
  }))
  .onRequest("session/new", () => ({
    sessionId: "fresh",
    ...(mode === "settings" ? { configOptions: settings } : {}),
  }))
  .onRequest("session/load", async ({ params: { sessionId }, client }) => {
    if (sessionId !== "known") throw RequestError.sessionNotFound(sessionId);
    const repeat = async () => {
      for (const _ of [1, 2, 3]) {
        await delay(detail === "late" ? 20 : 0);
        await say({ client, sessionId, prompt: "" }, "What was said before. ");
      }
    };
    if (detail === "late") void repeat();
    else await repeat();
    return {};
  })
  .onRequest("session/resume", ({ params: { sessionId } }) => {
    if (sessionId !== "resumed") throw RequestError.sessionNotFound(sessionId);
    return {};
  })
  .onRequest("session/set_config_option", ({ params: { configId, value } }) => {
    if (value === "big" && detail === "stubborn") throw RequestError.invalidParams();
    for (const each of settings) if (each.id === configId) each.currentValue = value as never;
    return { configOptions: settings };
  })
  .onNotification("session/cancel", () => {
    if (mode !== "deaf") cancelled.resolve();
  })
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    const behaviour = behaviours[mode] ?? behaviours["echo"]!;
    return { stopReason: await behaviour({ client, sessionId, prompt: textOf(prompt) }) };
  })
  .connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );

// The writer thread: the only writer of the gateway's SQLite. It takes everything that has arrived, writes what is
// urgent in one transaction with one flush to disk, and answers; then the rest likewise.
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { openSqliteEngine, type Call, type CallResult, type SqliteEngine } from "./engine.ts";

export type WriterRequest = Call & { id: number };
export type WriterAnswer = { id: number; result?: unknown; fault?: WriterFault };
export type WriterFault = { kind: "unavailable" | "usage" | "other"; message: string; code: string | null };

const toFault = (fault: unknown): WriterFault => {
  const kind =
    fault instanceof StoreUnavailable ? "unavailable" : fault instanceof UsageError ? "usage" : "other";
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : null;
  return { kind, message: fault instanceof Error ? fault.message : String(fault), code };
};

const toAnswer = ({ id }: WriterRequest, result: CallResult): WriterAnswer =>
  result.ok ? { id, result: result.result } : { id, fault: toFault(result.fault) };

/** A caller waits for it, or an agent for its start. */
const isUrgent = ({ name }: WriterRequest): boolean => name.startsWith("accept") || name.startsWith("begin");

if (parentPort) {
  const port = parentPort;
  let engine: SqliteEngine | null = null;
  /** The path first, then requests; no requests at all is the end. */
  port.on("message", (first: string | WriterRequest[]) => {
    if (typeof first === "string") {
      engine = openSqliteEngine(first);
      return;
    }
    if (!engine || first.length === 0) {
      engine?.close();
      port.close();
      return;
    }
    const requests = [...first];
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      const next = more.message as WriterRequest[];
      if (next.length > 0) requests.push(...next);
      else queueMicrotask(() => port.emit("message", next));
    }
    const urgent = requests.filter(isUrgent);
    const others = requests.filter((request) => !isUrgent(request));
    // A flush more, but nobody who is in a hurry waits for the rest to be worked out.
    for (const part of [urgent, others]) {
      if (part.length === 0) continue;
      const results = engine.write(part);
      port.postMessage(part.map((request, index) => toAnswer(request, results[index]!)));
    }
  });
}

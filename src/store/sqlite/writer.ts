// The writer thread: the only writer of the gateway's SQLite. It takes all requests that have arrived, writes the urgent
// ones in one transaction with one fsync, and responds; then the rest likewise.
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { catalogue } from "../programs/catalogue.ts";
import { openSqliteEngine, type Call, type CallResult, type SqliteEngine } from "./engine.ts";

export type WriterRequest = Call & { id: number };
export type WriterResult = { id: number; result?: unknown; fault?: WriterFault };
export type WriterFault = { kind: "unavailable" | "usage" | "other"; message: string; code: string | null };

const toFault = (fault: unknown): WriterFault => {
  const kind =
    fault instanceof StoreUnavailable ? "unavailable" : fault instanceof UsageError ? "usage" : "other";
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : null;
  return { kind, message: fault instanceof Error ? fault.message : String(fault), code };
};

const toWriterResult = ({ id }: WriterRequest, result: CallResult): WriterResult =>
  result.ok ? { id, result: result.result } : { id, fault: toFault(result.fault) };

const isUrgent = ({ name }: WriterRequest): boolean => catalogue[name].urgent;

if (parentPort) {
  const port = parentPort;
  let engine: SqliteEngine | null = null;
  /** The first message is the path, each later one a list of requests; an empty list closes the thread. */
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
      if (next.length > 0) for (const request of next) requests.push(request);
      else queueMicrotask(() => port.emit("message", next));
    }
    const urgent = requests.filter(isUrgent);
    const others = requests.filter((request) => !isUrgent(request));
    // Two transactions cost one more fsync, but no urgent request waits for the others.
    for (const part of [urgent, others]) {
      if (part.length === 0) continue;
      const results = engine.write(part);
      port.postMessage(part.map((request, index) => toWriterResult(request, results[index]!)));
    }
  });
}

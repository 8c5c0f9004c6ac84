// The writer thread: the only writer of the gateway's SQLite. It takes everything that has arrived, writes it in one
// transaction with one flush to disk, and answers.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { StoreUnavailable, UsageError } from "../core/errors.ts";
import { openSqliteEngine, type Call, type CallResult } from "./sqlite-engine.ts";

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

if (parentPort) {
  const port = parentPort;
  const engine = openSqliteEngine((workerData as { path: string }).path);
  port.on("message", (first: WriterRequest[]) => {
    if (first.length === 0) {
      engine.close();
      port.close();
      return;
    }
    const requests = [...first];
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      const next = more.message as WriterRequest[];
      if (next.length > 0) requests.push(...next);
      else queueMicrotask(() => port.emit("message", next));
    }
    // Callers wait for accepts; everything else waits in the background.
    const accepts = requests.filter((request) => request.name === "accept");
    const others = requests.filter((request) => request.name !== "accept");
    const ordered = [...accepts, ...others];
    const results = engine.write(ordered);
    port.postMessage(ordered.map((request, index) => toAnswer(request, results[index]!)));
  });
}

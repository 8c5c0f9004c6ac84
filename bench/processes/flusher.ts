// The cheapest durable write: into a file that already has its full length, then flushed.
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const fileBytes = 64 * 1024 * 1024;
const file = openSync(String(workerData), "w");
writeSync(file, Buffer.alloc(fileBytes));
fdatasyncSync(file);

let at = 0;
parentPort?.on("message", (bytes: Uint8Array) => {
  if (at + bytes.length > fileBytes) at = 0;
  at += writeSync(file, bytes, 0, bytes.length, at);
  fdatasyncSync(file);
  parentPort?.postMessage(null);
});

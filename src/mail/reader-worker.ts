// The thread in which mails are parsed: one request at a time.
import { parentPort } from "node:worker_threads";
import { htmlToText } from "../html/to-text.ts";
import { readHeaders, readMime } from "./parse.ts";
import type { ReaderRequest } from "./message.ts";

async function read(request: ReaderRequest): Promise<unknown> {
  if (request.kind === "html") return htmlToText(request.html);
  return request.kind === "mime" ? readMime(request.raw) : readHeaders(request.raw);
}

parentPort?.on("message", (request: ReaderRequest) => {
  void read(request).then((result) => parentPort?.postMessage(result));
});

parentPort?.postMessage("ready");

// The thread in which long replies are rendered: one at a time.
import { parentPort } from "node:worker_threads";
import { type RenderJob, renderings } from "./renderings.ts";

parentPort?.on("message", ({ platform, markdown }: RenderJob) => {
  parentPort?.postMessage(renderings[platform](markdown));
});

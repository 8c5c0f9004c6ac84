// The thread in which prompts are made that are much work: one at a time.
import { parentPort } from "node:worker_threads";
import { heartbeatPrompt, hookPrompt } from "./prompt.ts";
import type { PromptJob } from "./prompt-job.ts";

parentPort?.on("message", (job: PromptJob) => {
  const { instructions } = job;
  const prompt =
    job.kind === "hook"
      ? hookPrompt(job, instructions)
      : heartbeatPrompt(job.events, job.now, instructions, job.waiting);
  parentPort?.postMessage(prompt);
});

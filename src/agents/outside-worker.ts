// The thread in which outside texts are prepared for agents: one after another.
import { parentPort } from "node:worker_threads";
import { doJob, type OutsideJob } from "./outside-works.ts";

parentPort?.on("message", (job: OutsideJob) => parentPort?.postMessage(doJob(job)));

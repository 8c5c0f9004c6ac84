// Keeps only the builds that failed, out of everything GitHub Actions reports, and boils each down to four fields.
//
// GitHub sends a webhook whenever a workflow run is requested, starts, or ends, some 15 KB each. Of those, an agent
// should see the ones that failed on a branch that matters, and of these, only the build and its address.
// The words for the agent stay in the configuration: this file only changes the data that the templates are filled from.
//
//   hooks: {
//     transformsDir: "transforms",
//     mappings: [
//       {
//         match: { path: "github", headers: { "x-github-event": "workflow_run" } },
//         transform: { module: "failed-builds.ts" },
//         name: "Builds",
//         sessionKey: "hook:build:{{ repository }}:{{ branch }}",
//         messageTemplate: "The build {{ workflow }} of {{ repository }} failed on {{ branch }}: {{ url }}. Find out why.",
//       },
//     ],
//   },
//
// Copy it into your transforms folder. An edited file is picked up while the gateway runs.
import type { Transform } from "rouse/transform";

const branches = new Set(["main", "master"]);
const failures = new Set(["failure", "timed_out", "startup_failure"]);

const keepFailedBuilds: Transform = ({ payload }) => {
  const run = payload?.workflow_run;
  const isFailure = payload?.action === "completed" && failures.has(run?.conclusion);
  if (!isFailure || !branches.has(run.head_branch)) return null;
  return {
    payload: {
      repository: payload.repository?.full_name,
      branch: run.head_branch,
      workflow: run.name,
      url: run.html_url,
    },
  };
};

export default keepFailedBuilds;

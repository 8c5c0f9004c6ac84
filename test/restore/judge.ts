// Starts a gateway on a restored store, and reports what it finds and every fault.
import type { Run } from "../../src/core/run.ts";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { post, type Reply, until } from "../support/process.ts";
import { faultsIn } from "../system/crash-check.ts";
import type { Sent } from "../system/crash-load.ts";
import { createLab, type Lab, sendWake, token } from "../system/lab.ts";
import { maxAttempts } from "../system/rolling.ts";
import { gate, idOf, isAccepted, type Mark, type Scene, settings } from "./scene.ts";

export type Restored = {
  scene: Scene;
  mark: Mark;
  /** Requests from this one on must be gone; null: they may be there. */
  goneFrom: number | null;
  /** Null: SQLite. */
  databaseUrl: string | null;
  /** Copies the backup into the new gateway's folder. */
  install?: (folder: string) => void;
};

export type Verdict = { faults: string[]; saw: string };

export async function judge(restored: Restored): Promise<Verdict> {
  const lab = createLab({ databaseUrl: restored.databaseUrl, settings });
  try {
    restored.install?.(lab.folder);
    return await judgeIn(lab, restored);
  } finally {
    await lab.remove();
  }
}

async function judgeIn(lab: Lab, { scene, mark, goneFrom }: Restored): Promise<Verdict> {
  const store = await lab.openStore();
  const was = await contentOf(store);
  const isThere = (request: Sent): boolean => was.ids.has(idOf(request));
  const accepted = scene.load.sent.filter(isAccepted);
  const faults = [...scene.faults, ...contentFaults(was, mark)];
  const lost = accepted.filter((request) => !isThere(request));
  const late = accepted.filter(({ order }) => goneFrom !== null && order >= goneFrom);
  faults.push(...late.filter(isThere).map(({ marker }) => `${marker} was sent later, and is there`));

  const startedAt = performance.now();
  const gateway = await lab.start();
  const again = await repeat(gateway.url, accepted, isThere);
  lab.release(gate);
  const idle = () =>
    until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0, {
      withinMs: 60_000,
    });
  await idle();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  await sendWake(gateway.url, "the end");
  await idle();
  const { code } = await gateway.stop();
  if (code !== 0) faults.push(`the gateway ended with ${code}`);
  const errors = gateway.log().filter(({ level }) => level === "error");
  faults.push(...errors.map(({ message, kind }) => `the gateway logged: ${message} (${kind})`));

  const unended = was.runs.filter(({ endedAt }) => endedAt === null);
  const wasEnded = new Set(was.runs.flatMap(({ id, endedAt }) => (endedAt === null ? [] : [id])));
  const now = await contentOf(store);
  faults.push(...again.faults, ...turnFaults(lab, unended, wasEnded));
  faults.push(
    ...faultsIn({
      sent: again.known,
      runs: now.runs.filter(({ kind }) => kind === "hook").toReversed(),
      events: now.events,
      journal: [...scene.lab.journal().filter(({ runId }) => wasEnded.has(runId)), ...lab.journal()],
      prompts: new Map([...scene.lab.prompts(), ...lab.prompts()]),
      maxAttempts,
    }),
  );
  const running = unended.filter(({ status }) => status === "running").length;
  const saw = [
    `${mark.accepted.filter(isThere).length} of ${mark.accepted.length} accepted requests there`,
    `${wasEnded.size} ended runs untouched`,
    `${running} running and ${unended.length - running} waiting ones ended within ${seconds} s`,
    `${again.replayed} keys known`,
    `${lost.length} requests accepted later and gone`,
    `${again.anew} of those sent again and run`,
  ];
  return { faults, saw: saw.join(", ") };
}

type Content = Awaited<ReturnType<typeof contentOf>>;

async function contentOf(store: Store) {
  const hookRuns = await store.listRuns({ kind: "hook", limit: null });
  const heartbeats = await store.listRuns({ kind: "heartbeat", limit: null });
  const events = await store.listEvents({ limit: null });
  const runs = [...hookRuns, ...heartbeats];
  return { runs, events, ids: new Set([...hookRuns, ...events].map(({ id }) => id)) };
}

function contentFaults({ runs, ids }: Content, { accepted, ended }: Mark): string[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const faults = [
    ...accepted
      .filter((request) => !ids.has(idOf(request)))
      .map(({ marker }) => `${marker} was accepted, and is not there`),
    ...ended
      .filter((id) => (byId.get(id)?.endedAt ?? null) === null)
      .map((id) => `the run ${id} had ended, and has not`),
  ];
  const has = (status: Run["status"]): boolean => runs.some((run) => run.status === status);
  for (const status of ["succeeded", "running", "queued"] as const)
    if (!has(status)) faults.push(`no run was ${status}: this drill shows nothing about them`);
  if (accepted.length === 0) faults.push("nothing was accepted: this drill shows nothing");
  return faults;
}

/** A repeated request that is stored gets its first response; any other is accepted as new. */
async function repeat(url: string, accepted: readonly Sent[], isThere: (request: Sent) => boolean) {
  const faults: string[] = [];
  const known = accepted.filter((request) => request.key === null && isThere(request));
  let replayed = 0;
  let anew = 0;
  for (const request of accepted.filter(({ key }) => key !== null)) {
    const { marker, hook, body, key } = request;
    const reply: Reply = await post({ url, hook, token, body, key });
    const there = isThere(request);
    if (reply.status >= 300) faults.push(`${marker} got ${reply.status} the second time`);
    else if (there !== reply.replayed)
      faults.push(`${marker} is ${there ? "there" : "gone"}, and was ${reply.replayed ? "known" : "new"}`);
    known.push({ ...request, responses: there ? [...request.responses, reply] : [reply] });
    if (reply.replayed) replayed++;
    else anew++;
  }
  return { faults, known, replayed, anew };
}

/** A run that had ended has no further turn; any other finishes one turn, once. */
function turnFaults(lab: Lab, unended: readonly Run[], wasEnded: ReadonlySet<string>): string[] {
  const journal = lab.journal();
  const again = journal.filter(({ kind, runId }) => kind === "start" && wasEnded.has(runId));
  const finished = Map.groupBy(
    journal.filter(({ kind }) => kind === "end"),
    ({ runId }) => runId,
  );
  return [
    ...again.map(({ runId }) => `the run ${runId} had ended, and started again`),
    ...unended.flatMap(({ id }) => {
      const times = finished.get(id)?.length ?? 0;
      return times === 1 ? [] : [`the run ${id} had not ended, and was finished ${times} times`];
    }),
  ];
}

// The queue: from claim to stored end, for short runs in few and in many lanes, on one node and on four, compared with
// two queues on the same PostgreSQL that give the same guarantee: one job at a time in a lane. Whether each of them
// keeps it is checked first, with jobs that take a while.
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import type { Handled } from "../processes/queue-node.ts";
import { rivalNames, type ContenderName } from "../queue/contender.ts";
import { countUnfinished, fillQueue, workQueue, type Participant } from "../queue/nodes.ts";
import { installCommand, rivalVersion } from "../queue/rival.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median, medianRatio } from "../statistics.ts";

const slots = 16;
const laneCounts = [10, 1_000, 100_000];
const nodeCounts = [1, 4];
const ours: readonly ContenderName[] = ["runner", "store"];
/** Claims and settles only, as the others do; the runner also does work that their users would write themselves. */
const likeForLike = "store alone, PostgreSQL";

export async function measureQueue(lab: Lab): Promise<Result> {
  const kept = await Promise.all((await createParticipants(lab)).map((each) => checkGuarantee(lab, each)));
  const rows: Row[] = [];
  // With fewer runs than lanes, each run has its own.
  for (const lanes of laneCounts.map((each) => Math.min(each, lab.effort.queued))) {
    const participants = await createParticipants(lab);
    for (const nodes of nodeCounts) rows.push(...(await measureCell(lab, participants, lanes, nodes)));
    for (const { address, mostNodes } of participants) if (mostNodes > 1) await lab.databases.drop(address);
  }
  const { queued, queueSeconds, queueTurns } = lab.effort;
  const length =
    queueSeconds === null ? "until all are done" : `until all are done, or for ${queueSeconds} s`;
  return {
    name: "queue",
    title: "The queue",
    rows,
    notes: [
      `${figure(queued)} runs are queued at the start of each turn; worked ${length}, ${slots} slots a node, turns: ${queueTurns}`,
      ...kept,
      ...missingRivals().map((name) => `missing: ${name}: ${installCommand}`),
    ],
  };
}

const packageOf = (name: string): string => name.split(",")[0]!;
const missingRivals = (): string[] => [
  ...new Set(rivalNames.map(packageOf).filter((name) => rivalVersion(name) === null)),
];

async function createParticipants(lab: Lab): Promise<Participant[]> {
  const participant = async (name: string, contender: ContenderName): Promise<Participant> => {
    const address = await lab.databases.create();
    return { name, contender, address, mostNodes: 4 };
  };
  const participants = [
    await participant("runner, PostgreSQL", "runner"),
    await participant(likeForLike, "store"),
  ];
  for (const name of rivalNames) {
    const version = rivalVersion(packageOf(name));
    if (version !== null)
      participants.push(await participant(name.replace(packageOf(name), `$& ${version}`), name));
  }
  const file = join(lab.folder(), "queue.db");
  return [...participants, { name: "runner, SQLite", contender: "runner", address: file, mostNodes: 1 }];
}

const slowJobs = { lanes: 5, count: 100, handleMs: 20 };

/** Works a few slow jobs on two nodes and counts those that overlap with another job of their lane. */
async function checkGuarantee(lab: Lab, participant: Participant): Promise<string> {
  await fillQueue(lab, participant, slowJobs);
  const nodes = Math.min(2, participant.mostNodes);
  const { handled } = await workQueue(lab, participant, {
    nodes,
    slots,
    handleMs: slowJobs.handleMs,
    seconds: null,
  });
  if (handled.length !== slowJobs.count)
    throw new Error(`${participant.name}: ${handled.length} of ${slowJobs.count} jobs`);
  const overlaps = countOverlaps(handled);
  return overlaps === 0
    ? `${participant.name}: ran one at a time in a lane`
    : `${participant.name}: ${overlaps} of ${slowJobs.count} jobs started while another of their lane was running`;
}

export function countOverlaps(handled: readonly Handled[]): number {
  const freeUs = new Map<string, number>();
  let overlaps = 0;
  for (const { lane, fromUs, toUs } of handled.toSorted((a, b) => a.fromUs - b.fromUs)) {
    const free = freeUs.get(lane) ?? 0;
    if (fromUs < free) overlaps++;
    freeUs.set(lane, Math.max(free, toUs));
  }
  return overlaps;
}

async function measureCell(
  lab: Lab,
  all: readonly Participant[],
  lanes: number,
  nodes: number,
): Promise<Row[]> {
  const participants = all.filter(({ mostNodes }) => nodes <= mostNodes);
  const rates = new Map<Participant, number[]>(participants.map((each) => [each, []]));
  const { queued, queueSeconds, queueTurns } = lab.effort;
  for (let turn = 1; turn <= queueTurns; turn++) {
    for (const participant of participants) {
      lab.say(`${participant.name}: ${lanes} lanes, ${nodes} nodes, turn ${turn}`);
      await topUp(lab, participant, lanes, queued);
      const { perSecond } = await workQueue(lab, participant, {
        nodes,
        slots,
        handleMs: 0,
        seconds: queueSeconds,
      });
      rates.get(participant)?.push(perSecond);
    }
  }
  const isOurs = ({ contender }: Participant): boolean => ours.includes(contender);
  const better = bestOfEachTurn(participants.filter((each) => !isOurs(each)).map((each) => rates.get(each)!));
  const cell = `${lanes.toLocaleString("en-US")} lanes, ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  return participants.map((participant) => {
    const mine = rates.get(participant)!;
    return row(`${participant.name}: ${cell}`, median(mine), "runs/s", {
      ...(better.length > 0 && { against: "the best of the others", ratio: medianRatio(mine, better) }),
      ...(better.length > 0 && participant.name === likeForLike && { goal: { of: "ratio", atLeast: 1 } }),
    });
  });
}

const bestOfEachTurn = (rates: readonly number[][]): number[] =>
  (rates[0] ?? []).map((_, turn) => Math.max(...rates.map((each) => each[turn] ?? 0)));

async function topUp(lab: Lab, participant: Participant, lanes: number, queued: number): Promise<void> {
  const waiting = await countUnfinished(participant).catch(() => 0);
  if (waiting < queued) await fillQueue(lab, participant, { lanes, count: queued - waiting });
}

// The queue: from claim to stored end, for short runs in few and in many lanes, on one node and on four, against two
// queues on the same PostgreSQL with the same guarantee: one at a time in a lane. That each of them keeps it is seen
// first, with jobs that take a while.
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import type { Handled } from "../processes/queue-node.ts";
import { rivalNames, type ContenderName } from "../queue/contender.ts";
import { countUnfinished, fillQueue, workQueue, type Entrant } from "../queue/nodes.ts";
import { installCommand, rivalVersion } from "../queue/rival.ts";
import { figure, row, type Result, type Row } from "../row.ts";
import { median, medianRatio } from "../statistics.ts";

const places = 16;
const laneCounts = [10, 1_000, 100_000];
const nodeCounts = [1, 4];
const ours: readonly ContenderName[] = ["runner", "store"];
/** It claims and settles, as the others do; the runner does what their users would write themselves. */
const likeForLike = "store alone, PostgreSQL";

export async function measureQueue(lab: Lab): Promise<Result> {
  const kept = await Promise.all((await enter(lab)).map((each) => seeGuarantee(lab, each)));
  const rows: Row[] = [];
  // With fewer runs than that, each has a lane of its own.
  for (const lanes of laneCounts.map((each) => Math.min(each, lab.effort.queued))) {
    const entrants = await enter(lab);
    for (const nodes of nodeCounts) rows.push(...(await measureCell(lab, entrants, lanes, nodes)));
    for (const { place, mostNodes } of entrants) if (mostNodes > 1) await lab.databases.drop(place);
  }
  const { queued, queueSeconds, queueTurns } = lab.effort;
  const length =
    queueSeconds === null ? "until all are done" : `until all are done, or for ${queueSeconds} s`;
  return {
    name: "queue",
    title: "The queue",
    rows,
    notes: [
      `${figure(queued)} runs wait when each begins; worked ${length}, ${places} places a node, turns: ${queueTurns}`,
      ...kept,
      ...missingRivals().map((name) => `missing: ${name}: ${installCommand}`),
    ],
  };
}

const packageOf = (name: string): string => name.split(",")[0]!;
const missingRivals = (): string[] => [
  ...new Set(rivalNames.map(packageOf).filter((name) => rivalVersion(name) === null)),
];

async function enter(lab: Lab): Promise<Entrant[]> {
  const entrant = async (name: string, contender: ContenderName): Promise<Entrant> => {
    const place = await lab.databases.create();
    return { name, contender, place, mostNodes: 4 };
  };
  const entrants = [await entrant("runner, PostgreSQL", "runner"), await entrant(likeForLike, "store")];
  for (const name of rivalNames) {
    const version = rivalVersion(packageOf(name));
    if (version !== null) entrants.push(await entrant(name.replace(packageOf(name), `$& ${version}`), name));
  }
  const file = join(lab.folder(), "queue.db");
  return [...entrants, { name: "runner, SQLite", contender: "runner", place: file, mostNodes: 1 }];
}

const shown = { lanes: 5, count: 100, handleMs: 20 };

/** On two nodes: no two jobs of a lane at the same time. */
async function seeGuarantee(lab: Lab, entrant: Entrant): Promise<string> {
  await fillQueue(lab, entrant, shown);
  const nodes = Math.min(2, entrant.mostNodes);
  const { handled } = await workQueue(lab, entrant, {
    nodes,
    places,
    handleMs: shown.handleMs,
    seconds: null,
  });
  if (handled.length !== shown.count)
    throw new Error(`${entrant.name}: ${handled.length} of ${shown.count} jobs`);
  const overlaps = countOverlaps(handled);
  return overlaps === 0
    ? `${entrant.name}: seen to run one at a time in a lane`
    : `${entrant.name}: ${overlaps} of ${shown.count} jobs began while another of their lane was running`;
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

async function measureCell(lab: Lab, all: readonly Entrant[], lanes: number, nodes: number): Promise<Row[]> {
  const entrants = all.filter(({ mostNodes }) => nodes <= mostNodes);
  const rates = new Map<Entrant, number[]>(entrants.map((each) => [each, []]));
  const { queued, queueSeconds, queueTurns } = lab.effort;
  for (let turn = 1; turn <= queueTurns; turn++) {
    for (const entrant of entrants) {
      lab.say(`${entrant.name}: ${lanes} lanes, ${nodes} nodes, turn ${turn}`);
      await topUp(lab, entrant, lanes, queued);
      const { perSecond } = await workQueue(lab, entrant, {
        nodes,
        places,
        handleMs: 0,
        seconds: queueSeconds,
      });
      rates.get(entrant)?.push(perSecond);
    }
  }
  const isOurs = ({ contender }: Entrant): boolean => ours.includes(contender);
  const better = bestOfEachTurn(entrants.filter((each) => !isOurs(each)).map((each) => rates.get(each)!));
  const cell = `${lanes.toLocaleString("en-US")} lanes, ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  return entrants.map((entrant) => {
    const mine = rates.get(entrant)!;
    return row(`${entrant.name}: ${cell}`, median(mine), "runs/s", {
      ...(better.length > 0 && { against: "the best of the others", ratio: medianRatio(mine, better) }),
      ...(better.length > 0 && entrant.name === likeForLike && { goal: { of: "ratio", atLeast: 1 } }),
    });
  });
}

const bestOfEachTurn = (rates: readonly number[][]): number[] =>
  (rates[0] ?? []).map((_, turn) => Math.max(...rates.map((each) => each[turn] ?? 0)));

async function topUp(lab: Lab, entrant: Entrant, lanes: number, queued: number): Promise<void> {
  const waiting = await countUnfinished(entrant).catch(() => 0);
  if (waiting < queued) await fillQueue(lab, entrant, { lanes, count: queued - waiting });
}

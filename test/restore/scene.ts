// The state before a disaster: a gateway under load, with a held run and others waiting behind it.
import type { GatewayProcess, Reply } from "../support/process.ts";
import { post } from "../support/process.ts";
import { createRandom } from "../support/random.ts";
import { type Load, type Sent, startLoad } from "../system/crash-load.ts";
import { agentBody, runStarted, createLab, type Lab, token } from "../system/lab.ts";
import { maxAttempts, moreAccepted } from "../system/rolling.ts";

/** How far everything was at one moment. */
export type Mark = {
  /** Requests with a 2xx response before it. */
  accepted: readonly Sent[];
  /** Runs that had ended before it. */
  ended: readonly string[];
};

export type Scene = {
  lab: Lab;
  load: Load;
  url: string;
  faults: string[];
  mark(): Promise<Mark>;
  /** Requests with this number and above were sent after now. */
  next(): number;
  /** The number of 503 responses. */
  refused(): number;
  goOn(): Promise<void>;
  /** Kills the gateway and ends the load. */
  end(): Promise<void>;
  remove(): Promise<void>;
};

export const settings = { leaseSeconds: 2, maxAttempts };
export const gate = "gate";
/** Requests accepted before and after each step. */
const between = 60;

export const isAccepted = ({ responses }: Sent): boolean => responses.length > 0;

/** The id in its first response. */
export const idOf = ({ hook, responses: [first] }: Sent): string =>
  String(first?.body[hook === "agent" ? "runId" : "eventId"]);

export async function startScene(databaseUrl: string | null, seed: number): Promise<Scene> {
  const lab = createLab({ databaseUrl, settings });
  try {
    return await sceneIn(lab, seed);
  } catch (fault) {
    await lab.remove();
    throw fault;
  }
}

async function sceneIn(lab: Lab, seed: number): Promise<Scene> {
  const gateway: GatewayProcess = lab.launch();
  const url = await gateway.ready;
  const store = await lab.openStore();
  const faults: string[] = [];
  let refused = 0;
  const onRefusal = (reply: Reply | null): void => {
    if (reply?.status === 503) refused++;
    else if (reply !== null) faults.push(`the load got ${reply.status}`);
  };
  const address = (): Promise<string> => Promise.resolve(url);
  const load = startLoad({ address, random: createRandom(seed), betweenMs: 100, onRefusal });
  await holdLane(lab, load, url);

  return {
    lab,
    load,
    url,
    faults,
    async mark() {
      const accepted = load.sent.filter(isAccepted);
      const runs = await store.listRuns({ kind: "hook", limit: null });
      return { accepted, ended: runs.flatMap(({ id, endedAt }) => (endedAt === null ? [] : [id])) };
    },
    next: () => load.sent.length,
    refused: () => refused,
    goOn: () => moreAccepted(load, between),
    async end() {
      await gateway.kill();
      load.abandon();
      await load.stop();
    },
    async remove() {
      load.abandon();
      await lab.remove();
    },
  };
}

/** One runs until its gate opens, which it never does here; two wait. */
async function holdLane(lab: Lab, load: Load, url: string): Promise<void> {
  const sessionKey = "lab:held";
  for (const asks of [` [hold ${gate}]`, "", ""]) {
    const order = load.sent.length;
    const marker = `marker-${order}-`;
    const body = agentBody({ message: `${marker}${asks}`, name: marker, sessionKey });
    const request: Sent = {
      marker,
      hook: "agent",
      sessionKey,
      order,
      key: `key-${order}`,
      body,
      responses: [],
    };
    load.sent.push(request);
    request.responses.push(await post({ url, hook: "agent", token, body, key: request.key }));
    if (asks !== "") await runStarted(lab, idOf(request));
  }
}

// The clients of a round: conversations, single runs, wakes, twins, replies that are to be delivered. A client that
// got no response sends again under its key, to another node if there is one.
import { setTimeout as delay } from "node:timers/promises";
import { post } from "../support/process.ts";
import { type BenchNode, token } from "./bench.ts";
import { type ClientResponse, type ClientRequest, monotonicMs } from "./history.ts";

export type Load = {
  requests: readonly ClientRequest[];
  /** 2xx so far, of one process. */
  responsesOf(life: string): number;
  /** Resolves when every client is done. */
  done: Promise<void>;
  /** One more wake, which makes the main session handle all its waiting events. */
  wake(): Promise<void>;
  /** No client sends again. */
  giveUp(): void;
};

type Client = Omit<ClientRequest, "responses"> & { responses: ClientResponse[]; body: string };

const conversations = 2;
const requestsEach = 3;
const betweenMs = 30;
const chats = ["11", "12"];

export function startLoad(round: string, nodes: readonly BenchNode[], random: () => number): Load {
  const requests: Client[] = [];
  const prepare = (
    hook: ClientRequest["hook"],
    fields: Record<string, unknown>,
    isKeyed: boolean,
  ): Client => {
    const client = newClient(round, requests.length, { hook, fields, isKeyed });
    requests.push(client);
    return client;
  };
  const sender = createSender(nodes, random);
  const done = playClients({ round, nodes, random, prepare, send: sender.send });
  done.catch(() => {});
  return {
    requests,
    responsesOf: (life) =>
      requests
        .flatMap(({ hook, responses }) => (hook === "agent" ? responses : []))
        .filter((each) => each.life === life).length,
    done,
    wake: () => sender.send(prepare("wake", { mode: "now" }, true)),
    giveUp: () => sender.giveUp(),
  };
}

type RequestPlan = { hook: ClientRequest["hook"]; fields: Record<string, unknown>; isKeyed: boolean };

function newClient(round: string, order: number, { hook, fields, isKeyed }: RequestPlan): Client {
  const marker = `m-${round}-${order}-`;
  const text = hook === "wake" ? { text: marker } : { message: marker, name: marker };
  return {
    marker,
    hook,
    sessionKey: typeof fields["sessionKey"] === "string" ? fields["sessionKey"] : null,
    order,
    key: isKeyed ? `key-${round}-${order}` : null,
    chat: typeof fields["to"] === "string" ? fields["to"] : null,
    responses: [],
    body: JSON.stringify({ ...text, ...fields }),
  };
}

type Send = (client: Client, first?: BenchNode) => Promise<void>;

function createSender(nodes: readonly BenchNode[], random: () => number): { send: Send; giveUp(): void } {
  let isGivenUp = false;
  const anyNode = (): BenchNode | undefined => {
    const able = nodes.filter((node) => node.url() !== null);
    return able[Math.floor(random() * able.length)];
  };
  return {
    /** Without a key it is sent once: after a lost response, it may or may not have been accepted. */
    async send(client, first = anyNode()) {
      let node = first;
      while (!(await sendOnce(client, node)) && client.key !== null && !isGivenUp) {
        await delay(betweenMs);
        node = anyNode();
      }
    },
    giveUp: () => void (isGivenUp = true),
  };
}

async function sendOnce(client: Client, node: BenchNode | undefined): Promise<boolean> {
  const url = node?.url();
  if (!node || !url) return false;
  const life = node.life();
  const { hook, body, key } = client;
  const response = await post({ url, hook, token, body, key }).catch(() => null);
  if (!response || response.status === 503) return false;
  if (response.status >= 300) throw new Error(`unexpected response ${JSON.stringify(response)}`);
  client.responses.push({ at: monotonicMs(), life, ...response });
  return true;
}

type Play = {
  round: string;
  nodes: readonly BenchNode[];
  random: () => number;
  prepare: (hook: ClientRequest["hook"], fields: Record<string, unknown>, isKeyed: boolean) => Client;
  send: Send;
};

async function playClients({ round, nodes, random, prepare, send }: Play): Promise<void> {
  const rest = (): Promise<void> => delay(random() * betweenMs);
  const agentFields = (to: string | null) => ({
    wakeMode: random() < 0.3 ? "now" : "next-heartbeat",
    ...(to === null ? { deliver: false } : { deliver: true, channel: "telegram", to }),
  });

  async function converse(at: number): Promise<void> {
    const sessionKey = `lab:${round}:${at}`;
    for (let count = 0; count < requestsEach; count++) {
      await send(prepare("agent", { ...agentFields(chats[at] ?? null), sessionKey }, true));
      await rest();
    }
  }
  async function single(to: string | null, isKeyed: boolean, more: object = {}): Promise<void> {
    await rest();
    await send(prepare("agent", { ...agentFields(to), ...more }, isKeyed));
  }
  async function wakes(mode: string, isKeyed: boolean): Promise<void> {
    await rest();
    await send(prepare("wake", { mode }, isKeyed));
  }
  /** The same request at the same time, to different nodes where there are any. */
  async function twins(hook: ClientRequest["hook"]): Promise<void> {
    await rest();
    const client = prepare(hook, hook === "agent" ? agentFields(null) : { mode: "now" }, true);
    const [one, other = one] = nodes.toSorted(() => random() - 0.5);
    await Promise.all([send(client, one), send(client, other)]);
  }

  await Promise.all([
    ...Array.from({ length: conversations }, (_, at) => converse(at)),
    single(chats[0] ?? null, true),
    single(null, false),
    single(null, true),
    single(null, true, { callback: "lab" }),
    single(chats[1] ?? null, true, { callback: "lab" }),
    wakes("now", true),
    wakes("next-heartbeat", false),
    twins("agent"),
    twins("wake"),
  ]);
}

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
  let isGivenUp = false;

  const prepare = (hook: ClientRequest["hook"], fields: Record<string, unknown>, isKeyed: boolean): Client => {
    const order = requests.length;
    const marker = `m-${round}-${order}-`;
    const text = hook === "wake" ? { text: marker } : { message: marker, name: marker };
    const client: Client = {
      marker,
      hook,
      sessionKey: typeof fields["sessionKey"] === "string" ? fields["sessionKey"] : null,
      order,
      key: isKeyed ? `key-${round}-${order}` : null,
      chat: typeof fields["to"] === "string" ? fields["to"] : null,
      responses: [],
      body: JSON.stringify({ ...text, ...fields }),
    };
    requests.push(client);
    return client;
  };

  const anyNode = (): BenchNode | undefined => {
    const able = nodes.filter((node) => node.url() !== null);
    return able[Math.floor(random() * able.length)];
  };

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

  /** Without a key it is sent once: after a lost response, it may or may not have been accepted. */
  async function send(client: Client, first = anyNode()): Promise<void> {
    let node = first;
    while (!(await sendOnce(client, node)) && client.key !== null && !isGivenUp) {
      await delay(betweenMs);
      node = anyNode();
    }
  }

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
  async function single(to: string | null, isKeyed: boolean): Promise<void> {
    await rest();
    await send(prepare("agent", agentFields(to), isKeyed));
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

  const all = Promise.all([
    ...Array.from({ length: conversations }, (_, at) => converse(at)),
    single(chats[0] ?? null, true),
    single(null, false),
    single(null, true),
    wakes("now", true),
    wakes("next-heartbeat", false),
    twins("agent"),
    twins("wake"),
  ]);
  const done = all.then(() => {});
  done.catch(() => {});

  return {
    requests,
    responsesOf: (life) =>
      requests
        .flatMap(({ hook, responses }) => (hook === "agent" ? responses : []))
        .filter((each) => each.life === life).length,
    done,
    wake: () => send(prepare("wake", { mode: "now" }, true)),
    giveUp: () => void (isGivenUp = true),
  };
}

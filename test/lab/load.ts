// The clients of a round: conversations, single runs, wakes, twins, replies that are to be delivered. A client that
// got no answer asks again under its key, of another node if there is one.
import { setTimeout as delay } from "node:timers/promises";
import { post } from "../support/process.ts";
import { type BenchNode, token } from "./bench.ts";
import { type Answer, type Asked, monotonicMs } from "./history.ts";

export type Load = {
  asked: readonly Asked[];
  /** 2xx so far, of one process. */
  answersOf(life: string): number;
  /** Resolves when every client is done. */
  done: Promise<void>;
  /** One more wake, which makes the main session look at all that waits for it. */
  wake(): Promise<void>;
  /** Nobody asks again. */
  giveUp(): void;
};

type Client = Omit<Asked, "answers"> & { answers: Answer[]; body: string };

const conversations = 2;
const requestsEach = 3;
const betweenMs = 30;
const chats = ["11", "12"];

export function startLoad(round: string, nodes: readonly BenchNode[], random: () => number): Load {
  const asked: Client[] = [];
  let isGivenUp = false;

  const prepare = (hook: Asked["hook"], fields: Record<string, unknown>, isKeyed: boolean): Client => {
    const order = asked.length;
    const marker = `m-${round}-${order}-`;
    const text = hook === "wake" ? { text: marker } : { message: marker, name: marker };
    const client: Client = {
      marker,
      hook,
      sessionKey: typeof fields["sessionKey"] === "string" ? fields["sessionKey"] : null,
      order,
      key: isKeyed ? `key-${round}-${order}` : null,
      chat: typeof fields["to"] === "string" ? fields["to"] : null,
      answers: [],
      body: JSON.stringify({ ...text, ...fields }),
    };
    asked.push(client);
    return client;
  };

  const anyNode = (): BenchNode | undefined => {
    const able = nodes.filter((node) => node.url() !== null);
    return able[Math.floor(random() * able.length)];
  };

  async function askOnce(client: Client, node: BenchNode | undefined): Promise<boolean> {
    const url = node?.url();
    if (!node || !url) return false;
    const life = node.life();
    const { hook, body, key } = client;
    const reply = await post({ url, hook, token, body, key }).catch(() => null);
    if (!reply || reply.status === 503) return false;
    if (reply.status >= 300) throw new Error(`unexpected answer ${JSON.stringify(reply)}`);
    client.answers.push({ at: monotonicMs(), life, ...reply });
    return true;
  }

  /** Without a key it is asked once: a lost answer leaves open whether it was accepted. */
  async function ask(client: Client, first = anyNode()): Promise<void> {
    let node = first;
    while (!(await askOnce(client, node)) && client.key !== null && !isGivenUp) {
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
      await ask(prepare("agent", { ...agentFields(chats[at] ?? null), sessionKey }, true));
      await rest();
    }
  }
  async function single(to: string | null, isKeyed: boolean): Promise<void> {
    await rest();
    await ask(prepare("agent", agentFields(to), isKeyed));
  }
  async function wakes(mode: string, isKeyed: boolean): Promise<void> {
    await rest();
    await ask(prepare("wake", { mode }, isKeyed));
  }
  /** The same request at the same time, to different nodes where there are any. */
  async function twins(hook: Asked["hook"]): Promise<void> {
    await rest();
    const client = prepare(hook, hook === "agent" ? agentFields(null) : { mode: "now" }, true);
    const [one, other = one] = nodes.toSorted(() => random() - 0.5);
    await Promise.all([ask(client, one), ask(client, other)]);
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
    asked,
    answersOf: (life) =>
      asked
        .flatMap(({ hook, answers }) => (hook === "agent" ? answers : []))
        .filter((each) => each.life === life).length,
    done,
    wake: () => ask(prepare("wake", { mode: "now" }, true)),
    giveUp: () => void (isGivenUp = true),
  };
}

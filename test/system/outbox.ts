// The crash test of the outbox: replies of several messages to several people, while the gateway that sends them is
// killed again and again; then the messages that arrived are judged.
import { fileURLToPath, pathToFileURL } from "node:url";
import { unfinishedRuns } from "../../src/core/backlog.ts";
import { readOptions } from "../support/options.ts";
import { post, until } from "../support/process.ts";
import { createRandom, randomSeed } from "../support/random.ts";
import { pause } from "./crash-load.ts";
import { createLab, type Lab, token } from "./lab.ts";
import { doubled, outboxFaults } from "./outbox-check.ts";
import { type OutboxPlatform, startOutboxPlatform } from "./outbox-platform.ts";

export type OutboxOptions = { kills: number; seed: number; progress?: (line: string) => void };

export type OutboxResult = {
  faults: string[];
  replies: number;
  messages: number;
  doubled: number;
  /** Messages in flight when their sender was killed. */
  interrupted: number;
};

const program = fileURLToPath(new URL("./outbox-agent.sh", import.meta.url));
const chats = ["11", "12", "13", "14", "15", "16"];
/** The time to a kill, from the first message of a process on; some processes are killed before it. */
const longestLifeMs = 400;
const earlyShare = 0.2;
const betweenMs = 150;

export async function outboxTest(options: OutboxOptions): Promise<OutboxResult> {
  const platform = await startOutboxPlatform(createRandom(options.seed + 1));
  const lab = createLab({ settings: { program, maxAttempts: 50 } });
  try {
    return await crashOutbox(lab, platform, options);
  } finally {
    platform.close();
    await lab.remove();
  }
}

async function crashOutbox(
  lab: Lab,
  platform: OutboxPlatform,
  { kills, seed, progress }: OutboxOptions,
): Promise<OutboxResult> {
  const random = createRandom(seed);
  let life = 0;
  let address = Promise.withResolvers<string>();
  const startGateway = async () => {
    const telegram = { token: "1:token", apiBase: platform.addressFor(++life) };
    lab.writeSettings({ channels: { telegram } });
    const gateway = await lab.start();
    address.resolve(gateway.url);
    return gateway;
  };
  const load = startReplies(() => address.promise, createRandom(seed + 2));

  // On a slow machine a few more kills, until some have hit a message in flight.
  const metFew = () => platform.interrupted() < Math.min(3, kills);
  for (let kill = 1; kill <= kills || (kill <= 4 * kills && metFew()); kill++) {
    const gateway = await startGateway();
    const isEarly = random() < earlyShare;
    if (!isEarly) await Promise.race([platform.messageOf(life), pause(3000)]);
    await pause(random() * longestLifeMs);
    await gateway.kill();
    address = Promise.withResolvers<string>();
    progress?.(
      `killed ${kill} of ${kills}, ${platform.received.length} messages, ${platform.interrupted()} cut off`,
    );
  }

  const gateway = await startGateway();
  await load.stop();
  const store = await lab.openStore();
  const all = () => store.listDeliveries({ limit: null });
  await until("the end of all runs", async () => unfinishedRuns(await store.backlog()) === 0, {
    withinMs: 180_000,
  });
  await until(
    "the end of all deliveries",
    async () => (await all()).every(({ status }) => status !== "waiting"),
    {
      withinMs: 180_000,
      everyMs: 100,
    },
  );
  const { code } = await gateway.stop();

  const runs = await store.listRuns({ kind: "hook", limit: null });
  const deliveries = (await all()).toReversed();
  const { received } = platform;
  const faults = outboxFaults({ accepted: load.accepted, runs, deliveries, received });
  if (code !== 0) faults.push(`the gateway ended with ${code}`);
  return {
    faults,
    replies: deliveries.length,
    messages: received.length,
    doubled: doubled(received),
    interrupted: platform.interrupted(),
  };
}

/** Asks for replies until it is stopped; a request without a response is sent again under the same key. */
function startReplies(address: () => Promise<string>, random: () => number) {
  const accepted: string[] = [];
  let going = true;
  let count = 0;
  const ask = async (to: string): Promise<void> => {
    const key = `reply-${count++}`;
    const fields = { message: key, channel: "telegram", to, wakeMode: "next-heartbeat" };
    for (;;) {
      const url = await address();
      const reply = await post({ url, hook: "agent", token, body: JSON.stringify(fields), key }).catch(
        () => null,
      );
      if (reply?.status === 202) return void accepted.push(String(reply.body["runId"]));
      if (reply && reply.status !== 503) throw new Error(`unexpected response ${JSON.stringify(reply)}`);
      await pause(10);
    }
  };
  const sender = async (to: string): Promise<void> => {
    while (going) {
      await ask(to);
      await pause(random() * 2 * betweenMs);
    }
  };
  const all = Promise.all(chats.map(sender));
  all.catch(() => {});
  return {
    accepted,
    async stop() {
      going = false;
      await all;
    },
  };
}

export const describeOutbox = ({ faults, ...numbers }: OutboxResult): string =>
  `${Object.entries(numbers)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}; ${faults.length === 0 ? "nothing wrong" : `${faults.length} faults`}`;

async function main(): Promise<void> {
  const values = readOptions("npm run crash:outbox -- [--kills N] [--seed N]", {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(randomSeed()) },
  });
  const options = { kills: Number(values.kills), seed: Number(values.seed) };
  console.log(`outbox test: ${options.kills} kills, seed ${options.seed}`);
  const result = await outboxTest({ ...options, progress: (line) => console.log(line) });
  for (const fault of result.faults) console.log(`FAULT ${fault}`);
  console.log(describeOutbox(result));
  process.exitCode = result.faults.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

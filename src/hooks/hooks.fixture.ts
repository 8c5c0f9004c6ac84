// A real server with the real ladder on it, over a store that only remembers, for tests.
import type { TestContext } from "node:test";
import type { Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import type { Log, LogFields } from "../core/log.ts";
import { channelNames } from "../core/target.ts";
import { type RawAnswer, type RawClient, rawClient } from "../http/raw-client.fixture.ts";
import { createServer, type Server } from "../http/server.ts";
import { createThrottle } from "../http/throttle.ts";
import type { Acceptance, Accepted, Repeated, RequestRecord } from "../store/store.ts";
import { type MappingRoom, noMappings } from "./mapping/prepare.ts";
import type { QueueRoom } from "./decide.ts";
import { createHooks } from "./pipeline.ts";
import { hookSettings } from "./settings.ts";

export const token = "test-token-0123456789-abcdef";

export type Options = {
  hooks?: Partial<Config["hooks"]>;
  agents?: Partial<Config["agents"]>;
  gateway?: Partial<Config["gateway"]>;
  mappings?: MappingRoom;
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  accept?: (acceptance: Acceptance) => Promise<Accepted>;
  stopping?: () => boolean;
  room?: QueueRoom;
  /** What an earlier request with the same key was told. */
  repeated?: Repeated;
  onStored?: (acceptance: Acceptance) => void;
};

export type LogLine = { level: keyof Log; message: string; fields: LogFields | undefined };

export type Fixture = {
  port: number;
  server: Server;
  /** What reached the store, in order. */
  accepted: Acceptance[];
  /** What was recorded of requests that led to nothing. */
  records: Omit<RequestRecord, "createdAt">[];
  lines: LogLine[];
  connect(): RawClient;
  /** One POST on a connection of its own. */
  post(path: string, body: unknown, headers?: readonly string[]): Promise<RawAnswer>;
};

export const roomIf = (hasRoom: () => boolean): QueueRoom => ({ has: hasRoom, find: async () => hasRoom() });

export async function startHooks(context: TestContext, options: Options = {}): Promise<Fixture> {
  const accepted: Acceptance[] = [];
  const lines: LogLine[] = [];
  const clients: RawClient[] = [];
  const log = recordingLog(lines);
  const records: Fixture["records"] = [];
  const settings = hookSettings(testConfig(options), options.mappings ?? noMappings, channelNames([]));
  const hooks = createHooks({
    settings: () => settings,
    store: {
      accept(acceptance) {
        accepted.push(acceptance);
        return options.accept?.(acceptance) ?? Promise.resolve({ kind: "stored" });
      },
      findRepeated: async () => options.repeated ?? null,
      recordRequest: async (record) => void records.push(record),
    },
    throttle: createThrottle(options.hooks?.authFailures ?? { max: 20, windowSeconds: 60 }, systemClock),
    clock: systemClock,
    log,
    stopping: options.stopping ?? (() => false),
    room: options.room ?? roomIf(() => true),
    onStored: options.onStored ?? (() => {}),
  });
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections: 1000,
    headersTimeoutMs: options.headersTimeoutMs ?? 10_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 40_000,
    connectionsCheckingIntervalMs: 20,
    handle: (exchange) => hooks.handle(exchange),
    log,
  });
  const { port } = await server.listen();
  const open = (): RawClient => {
    const client = rawClient(port);
    clients.push(client);
    return client;
  };
  context.after(async () => {
    for (const { socket } of clients) socket.destroy();
    await server.stop();
  });
  return {
    port,
    server,
    accepted,
    records,
    lines,
    connect: open,
    async post(path, body, headers = [`Authorization: Bearer ${token}`]) {
      const client = open();
      client.send(post(path, body, headers));
      const answer = await client.next();
      client.socket.destroy();
      return answer;
    },
  };
}

/** The bytes of a POST; a string or buffer is sent as it is, anything else as JSON. */
export function post(
  path: string,
  body: unknown,
  headers: readonly string[] = [`Authorization: Bearer ${token}`],
): Buffer {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const head = [`POST ${path} HTTP/1.1`, "Host: x", `Content-Length: ${bytes.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
}

export const testConfig = ({ hooks, agents, gateway }: Options = {}): Config => ({
  file: "/nowhere/rouse.jsonc",
  gateway: {
    host: "127.0.0.1",
    port: 0,
    auth: { token: null },
    trustedProxies: [],
    drainSeconds: 30,
    maxConnections: 1000,
    ...gateway,
  },
  hooks: {
    enabled: true,
    tokens: [token],
    path: "/hooks",
    allowedAgentIds: null,
    defaultSessionKey: null,
    allowRequestSessionKey: false,
    allowedSessionKeyPrefixes: [],
    tools: [],
    budget: { runsPerDay: 1000, tokensPerDay: 5_000_000, moneyPerDay: null },
    mappings: [],
    gmail: null,
    mail: [],
    transformsDir: "/nowhere/transforms",
    transformTimeoutSeconds: 5,
    maxBodyBytes: 262_144,
    bodyTimeoutSeconds: 30,
    maxQueued: 100_000,
    authFailures: { max: 20, windowSeconds: 60 },
    ...hooks,
  },
  agents: {
    list: [agent("main", true), agent("ops", false)],
    models: undefined,
    heartbeatEveryMs: 0,
    timeoutSeconds: 600,
    maxConcurrent: 4,
    maxAttempts: 3,
    ...agents,
  },
  channels: { list: [], plugins: [], named: [] },
  models: { providers: {}, prices: {}, contextTokens: {} },
  mcp: {},
  store: { url: null, path: ":memory:", retentionMs: 0, leaseSeconds: 30 },
  log: { level: "silent", format: "json" },
});

const agent = (id: string, isDefault: boolean): Config["agents"]["list"][number] => ({
  id,
  default: isDefault,
  workspace: "/nowhere",
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: null,
  thinking: null,
  kind: "echo",
});

function recordingLog(lines: LogLine[]): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields?: LogFields): void =>
      void lines.push({ level, message, fields });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

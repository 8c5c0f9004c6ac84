// The gateway that is fuzzed: a real process with a hook of every sort, agents that echo and one that replies anything,
// a platform with bad hours, a mailbox, and a queue large enough for everything. Only the mappings of `hurt/` can fail
// by themselves, so that any other 500 is a fault.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../support/folder.ts";
import { type GatewayProcess, launchGateway } from "../support/process.ts";
import type { Outside } from "./outside.ts";
import { probeVariable, type Reading } from "./probe.ts";

export const token = "fuzz-token-that-is-long-enough-for-anyone";
export const otherToken = "the-other-token-while-one-is-being-rotated";
export const gatewayToken = "the-token-of-the-service-itself-0123456789";
export const maxBodyBytes = 65_536;

export type FuzzedGateway = {
  port: number;
  folder: string;
  process: GatewayProcess;
  /** Its memory after a garbage collection. */
  read(): Promise<Reading>;
  connections(): Promise<number>;
  remove(): Promise<void>;
};

export async function startFuzzedGateway(
  databaseUrl: string | null,
  outside: Outside,
): Promise<FuzzedGateway> {
  const folder = makeFolder("fuzz");
  const config = join(folder, "rouse.jsonc");
  const probe = join(folder, "probe");
  mkdirSync(join(folder, "transforms"));
  writeFileSync(join(folder, "transforms", "changed.mjs"), transform);
  writeFileSync(join(folder, "transforms", "grown.mjs"), grown);
  writeFileSync(config, JSON.stringify(settings(databaseUrl, outside)), { mode: 0o600 });
  const preload = fileURLToPath(new URL("./probe.ts", import.meta.url));
  const gateway = launchGateway({
    config,
    env: { NODE_OPTIONS: `--require ${preload}`, [probeVariable]: probe },
  });
  const remove = async () => {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = Number(new URL(await gateway.ready).port);
    const readProbe = (question: string): Promise<string> => {
      const socket = connect(probe);
      socket.write(question);
      return text(socket);
    };
    return {
      port,
      folder,
      process: gateway,
      read: async () => JSON.parse(await readProbe("memory")) as Reading,
      connections: async () => Number(await readProbe("connections")),
      remove,
    };
  } catch (fault) {
    await remove();
    throw fault;
  }
}

const settings = (url: string | null, { agentUrl, platform, account }: Outside) => ({
  gateway: { auth: { token: gatewayToken }, trustedProxies: ["127.0.0.1"], drainSeconds: 5 },
  hooks: {
    enabled: true,
    token: [token, otherToken],
    maxBodyBytes,
    bodyTimeoutSeconds: 1,
    transformTimeoutSeconds: 60,
    maxQueued: 100_000_000,
    budget: { runsPerDay: 1_000_000_000, tokensPerDay: 1_000_000_000_000 },
    maxWaitingEvents: 100_000_000,
    maxWaitingBytes: 1_099_511_627_776,
    authFailures: { max: 20, windowSeconds: 2 },
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ["fuzz:", "hook:"],
    allowedAgentIds: ["main", "second", "ghost", "odd"],
    presets: ["gmail"],
    mappings: [...mappings, ...hurtful],
    mail: [account],
  },
  agents: {
    list: [
      { id: "main", kind: "echo", default: true },
      { id: "second", kind: "echo" },
      { id: "odd", kind: "http", url: agentUrl },
    ],
    defaults: { heartbeat: { every: "0" }, models: { "echo/one": { alias: "one" }, "echo/two": {} } },
    maxConcurrent: 32,
    maxAttempts: 2,
  },
  channels: { telegram: { token: "1:fuzz", to: "12345", apiBase: platform.url } },
  store: url === null ? {} : { url },
  log: { level: "warn", format: "json" },
});

/** Few wakes request a heartbeat at once: such turns, with all waiting events, would be most of the work. */
const mappings = [
  {
    id: "templated",
    match: { path: "templated" },
    name: "{{ name }}",
    sessionKey: "fuzz:{{ id | default: now }}",
    messageTemplate:
      "New: {{ title }} {{ user.name | default: 'nobody' }} {{ labels | json }} {{ labels[0] }} {{ headers.x-event }}" +
      "{% for item in labels %}[{{ item }}{% if forloop.last %}.{% endif %}]{% endfor %} {{ payload }} {{ query.q }} {{ now }}",
    to: "{{ to }}",
    model: "{{ model }}",
    thinking: "{{ thinking }}",
    wakeMode: "next-heartbeat",
    deliver: false,
  },
  {
    id: "listed",
    match: { path: "listed/wake" },
    action: "wake",
    wakeMode: "next-heartbeat",
    forEach: "items",
    textTemplate: "Item: {{ items[0] }}",
  },
  {
    id: "runs",
    match: { path: "listed/runs" },
    forEach: "data.items",
    wakeMode: "next-heartbeat",
    messageTemplate: "Do {{ data.items[0].what }} of {{ data.total }}",
  },
  {
    id: "filtered",
    match: {
      path: "filtered",
      headers: { "x-event": ["push", "pull"] },
      payload: { "kind.name": ["a", 1, true, null], "list[0]": "x" },
    },
    messageTemplate: "Filtered {{ kind.name }} {{ list }}",
    wakeMode: "next-heartbeat",
  },
  {
    id: "sourced",
    match: { path: "crm/in", source: "crm" },
    action: "wake",
    wakeMode: "next-heartbeat",
    textTemplate: "CRM: {{ payload }}",
  },
  {
    id: "never",
    match: {
      path: "typed",
      headers: { "content-type": { not: [{ matches: "(?i)XML|form" }, { contains: "zip" }] } },
      payload: { "list[*].id": { startsWith: "no such", above: 3 }, title: { matches: "^(a+)+$" } },
    },
    messageTemplate: "never",
  },
  {
    id: "typed",
    match: {
      path: "typed",
      payload: {
        "list[*]": { not: { endsWith: "no such end" } },
        nothing: [{ exists: false }, { below: 0 }, "x"],
      },
    },
    messageTemplate: "Typed: {{ title }} {{ title.id }} {{ list }} {{ payload }}",
    wakeMode: "next-heartbeat",
  },
  {
    id: "changed",
    match: { path: "changed" },
    messageTemplate: "Changed: {{ title }}",
    wakeMode: "next-heartbeat",
    transform: { module: "changed.mjs" },
  },
];

/** Small requests to these are much work. A mapping for runs gives them to the agent that replies anything. */
const hurtful = [
  {
    id: "hurt-each",
    match: { path: "hurt/each" },
    action: "wake",
    wakeMode: "next-heartbeat",
    forEach: "items",
    textTemplate: "Item {{ items[0].n }} of {{ payload }}",
  },
  {
    id: "hurt-loop",
    match: { path: "hurt/loop" },
    wakeMode: "next-heartbeat",
    messageTemplate:
      "{% for a in list %}{% for b in list %}{{ a }}-{{ b }}{% endfor %}{% endfor %}{{ text }}",
    agentId: "odd",
  },
  {
    id: "hurt-filters",
    match: { path: "hurt/filters" },
    action: "wake",
    wakeMode: "next-heartbeat",
    textTemplate:
      "{{ text | split: ' ' | join: ' and ' | replace: 'a', 'aaaa' | strip_html | escape | truncate: 9000 }}" +
      "{{ payload | json }}{{ list | sort | uniq | join: ',' | url_encode }}",
  },
  {
    id: "hurt-runs",
    match: { path: "hurt/runs" },
    wakeMode: "next-heartbeat",
    forEach: "items",
    sessionKey: "fuzz:{{ items[0].n }}",
    messageTemplate: "{% for each in list %}{{ each }} {% endfor %}{{ items[0] | json }}",
    agentId: "odd",
  },
  {
    id: "hurt-changed",
    match: { path: "hurt/changed" },
    wakeMode: "next-heartbeat",
    forEach: "items",
    transform: { module: "grown.mjs" },
    messageTemplate: "{{ payload }}",
  },
];

/** Gives back more than it got. */
const grown = `export default ({ payload }) => ({ payload: { ...payload, again: JSON.stringify(payload).repeat(2) } });
`;

/** Returns something allowed for any input. */
const transform = `export default ({ payload, headers, query, name }) => {
  const size = JSON.stringify([payload, headers, query, name]).length;
  if (size % 5 === 0) return null;
  if (size % 5 === 1) return { message: "of " + size + JSON.stringify(payload), deliver: false };
  if (size % 5 === 2) return { action: "wake", text: "woken by " + size };
  if (size % 5 === 3) return { payload: { title: JSON.stringify(payload).slice(0, 200) } };
};
`;

// Every command by its name. Each is loaded only when it is asked for, and loads what it needs only when it runs.
import type { Command } from "./command.ts";

const loaders: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  start: () => import("./commands/start.ts"),
  serve: () => import("./commands/serve.ts"),
  init: () => import("./commands/init.ts"),
  check: () => import("./commands/check.ts"),
  send: () => import("./commands/send.ts"),
  explain: () => import("./commands/explain.ts"),
  runs: () => import("./commands/runs.ts"),
  events: () => import("./commands/events.ts"),
  deliveries: () => import("./commands/deliveries.ts"),
  channels: () => import("./commands/channels.ts"),
  requests: () => import("./commands/requests.ts"),
  hooks: () => import("./commands/hooks.ts"),
  logs: () => import("./commands/logs.ts"),
  senders: () => import("./commands/senders.ts"),
  sessions: () => import("./commands/sessions.ts"),
  token: () => import("./commands/token.ts"),
  expose: () => import("./commands/expose.ts"),
  gmail: () => import("./commands/gmail.ts"),
  audit: () => import("./commands/audit.ts"),
  backup: () => import("./commands/backup.ts"),
  mcp: () => import("./commands/mcp.ts"),
  doctor: () => import("./commands/doctor.ts"),
  completion: async () => {
    const { completionCommand } = await import("./commands/completion.ts");
    return { command: completionCommand(loadAll) };
  },
};

export const commandNames: readonly string[] = Object.keys(loaders);

export async function loadCommand(name: string): Promise<Command | null> {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return load ? (await load()).command : null;
}

export const loadAll = (): Promise<Command[]> =>
  Promise.all(Object.values(loaders).map(async (load) => (await load()).command));

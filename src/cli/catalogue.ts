// Every command by its name. Each is loaded only when it is asked for, and loads what it needs only when it runs.
import type { Command } from "./command.ts";

const loaders: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  start: () => import("./start.ts"),
  serve: () => import("./serve.ts"),
  init: () => import("./init.ts"),
  check: () => import("./check.ts"),
  send: () => import("./send.ts"),
  explain: () => import("./explain.ts"),
  runs: () => import("./runs.ts"),
  events: () => import("./events.ts"),
  deliveries: () => import("./deliveries.ts"),
  channels: () => import("./channels.ts"),
  requests: () => import("./requests.ts"),
  sessions: () => import("./sessions.ts"),
  token: () => import("./token.ts"),
  gmail: () => import("./gmail.ts"),
  doctor: () => import("./doctor.ts"),
};

export const commandNames: readonly string[] = Object.keys(loaders);

export async function loadCommand(name: string): Promise<Command | null> {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  return load ? (await load()).command : null;
}

export const loadAll = (): Promise<Command[]> =>
  Promise.all(Object.values(loaders).map(async (load) => (await load()).command));

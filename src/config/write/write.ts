// Writes the config file: the first one, later edits that keep its comments, and atomic writes.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { Environment } from "../load.ts";

/** Where config, database and workspaces live: `ROUSE_HOME`, else `~/.rouse`. */
export function homeOf(env: Environment): string {
  const home = env["ROUSE_HOME"]?.trim();
  return home ? resolve(home) : join(env["HOME"] || homedir(), ".rouse");
}

/** 256 random bits, safe in a header. */
export const newToken = (): string => randomBytes(32).toString("base64url");

export const defaultPort = 4665;

export const initialConfig = ({
  hookToken,
  gatewayToken,
  port = defaultPort,
}: {
  hookToken: string;
  gatewayToken: string;
  port?: number;
}): string => `{
  // Every setting is explained in docs/configuration.md; \`rouse check\` lists the problems of this file.
  // Changes are taken up while the service runs.
  "$schema": "./rouse.schema.json",

  "gateway": {
    "host": "127.0.0.1",
    "port": ${port},
    // The service's own token, for the admin API and the console. Never give it to a webhook.
    "auth": { "token": ${written(gatewayToken)} },
  },

  "hooks": {
    "enabled": true,
    // Callers send it as "Authorization: Bearer TOKEN". "\${NAME}" takes it from the environment instead,
    // and { "file": "hook-token" } from a file.
    "token": ${written(hookToken)},
    "path": "/hooks",
  },

  "agents": {
    // Without a list there is one agent, "main", which echoes what it is sent. An agent of your own
    // reads the prompt from its standard input and writes its reply to its standard output:
    // "list": [
    //   {
    //     "id": "main",
    //     "kind": "command",
    //     "command": "my-agent",
    //     "args": ["--print"],
    //     "env": ["MY_AGENT_API_KEY"],
    //   },
    // ],
    "defaults": {
      "heartbeat": { "every": "30m" },
      "timeoutSeconds": 600,
    },
  },
}
`;

/** As JSON text; a literal `${` must not be taken for a reference. */
const written = (text: string): string => JSON.stringify(escaped(text));
const escaped = (text: string): string => text.replaceAll("${", () => "$${");

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };

/** The text with one setting changed; comments and layout stay. `undefined` removes the setting. */
export const editConfig = (text: string, path: (string | number)[], value: unknown): string =>
  applyEdits(text, modify(text, path, value, { formattingOptions }));

/** The text with an entry put into a list before the one at this index; at its end, when there is none. */
export const insertIntoConfig = (text: string, path: (string | number)[], value: unknown): string =>
  applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: true }));

/** A value for the config as it is meant: no text in it is a reference to the environment. */
export function literal(value: unknown): unknown {
  if (typeof value === "string") return escaped(value);
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, literal(each)]));
}

/** A reader sees the old text or the new one, also after a crash or a power cut. A link stays a link. */
export function writeFileAtomic(file: string, text: string, mode = 0o600): void {
  const target = existsSync(file) ? realpathSync(file) : resolve(file);
  const temporary = `${target}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { mode, flag: "wx", flush: true });
    renameSync(temporary, target);
  } catch (fault) {
    rmSync(temporary, { force: true });
    throw fault;
  }
  syncFolder(dirname(target));
}

/** Makes the rename durable. Windows cannot open a folder and does not need this. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

// What the tests of commands share: a temporary home with a real store, and a command line run in this process.
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Clock, systemClock } from "../core/clock.ts";
import { openSqliteFile, openSqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import type { Context } from "./command.ts";
import { dispatch } from "./dispatch.ts";
import { makeFolder } from "../../test/support/folder.ts";

export const hookToken = "hook-token-that-is-long-enough";
export const gatewayToken = "gateway-token-that-is-long-enough";

export type Result = { code: number; stdout: string; stderr: string };
export type Rouse = (argv: readonly string[], more?: Partial<Context>) => Promise<Result>;

export function createTestContext(argv: readonly string[], more: Partial<Context> = {}) {
  const written = { stdout: "", stderr: "" };
  const signals: (() => void)[] = [];
  const exits: number[] = [];
  const context: Context = {
    argv,
    env: {},
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    isTerminal: false,
    columns: null,
    errorIsTerminal: false,
    readInput: async () => "",
    clock: systemClock,
    onStopSignal: (listener) => void signals.push(listener),
    outliveOutput() {},
    exit: (code) => void exits.push(code),
    ...more,
  };
  const signal = () => signals.forEach((listener) => listener());
  return { context, written, signal, exits };
}

export function createFolder(t: TestContext): { folder: string; env: NodeJS.ProcessEnv; rouse: Rouse } {
  const folder = makeFolder("cli");
  chmodSync(folder, 0o700);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ROUSE_HOME: folder, PATH: process.env["PATH"] };
  const rouse: Rouse = async (argv, more = {}) => {
    const { context, written } = createTestContext(argv, { env, ...more });
    const code = await dispatch(context);
    return { code, ...written };
  };
  return { folder, env, rouse };
}

const basicConfig = {
  gateway: { auth: { token: gatewayToken } },
  hooks: { enabled: true, token: hookToken },
};

export function createConfig(t: TestContext, config: object | string = basicConfig) {
  const home = createFolder(t);
  const file = join(home.folder, "rouse.jsonc");
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config, null, 2), { mode: 0o600 });
  return { ...home, file };
}

export async function createStoredHome(t: TestContext, clock: Clock = systemClock, config?: object) {
  const home = createConfig(t, config);
  const path = join(home.folder, "rouse.db");
  await (await openSqliteStore({ path, clock, leaseMs: 1000 })).close();
  const store: Store = await openSqliteFile({ path, clock });
  t.after(() => store.close());
  return { ...home, store };
}

export const json = ({ stdout }: Result): unknown => JSON.parse(stdout) as unknown;

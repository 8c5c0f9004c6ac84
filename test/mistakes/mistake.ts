// Makes a mistake of the command line or the configuration for real, and compares what Rouse says.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { dispatch } from "../../src/cli/dispatch.ts";
import { createTestContext } from "../fixtures/command-line.ts";
import { makeFolder } from "../support/folder.ts";

export type Mistake = {
  name: string;
  /** The text of rouse.jsonc; null: there is none. */
  config?: string | Buffer | null;
  /** Beside the config: name to text. */
  files?: Readonly<Record<string, string>>;
  /** What else makes the mistake, in its home. */
  prepare?: (home: string) => void;
  /** The command is run by a user who owns nothing there. */
  byAnother?: boolean;
  env?: Readonly<Record<string, string>>;
  /** Default: `check`. HOME stands for the mistake's own folder. */
  command?: readonly string[];
  code: 0 | 1 | 2;
  /** Whole lines of the output, one after another. HOME is the folder, PORT any port, CWD where the test runs. */
  says: string;
};

export type Said = { code: number; output: string };

const inPlace = (text: string, home: string): string => text.replaceAll("HOME", home);

export async function make(mistake: Mistake, t: TestContext): Promise<Said> {
  const home = makeFolder("mistake");
  t.after(() => rmSync(home, { recursive: true, force: true }));
  chmodSync(home, 0o755);
  const { config = null, files = {}, command = ["check"], env = {} } = mistake;
  const all = { ...files, ...(config !== null && { "rouse.jsonc": config }) };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  mistake.prepare?.(home);
  const settings = Object.entries({ ROUSE_HOME: "HOME", ...env });
  const own = Object.fromEntries(settings.map(([name, value]) => [name, inPlace(value, home)]));
  const { context, written } = createTestContext(
    command.map((word) => inPlace(word, home)),
    { env: { PATH: process.env["PATH"], ...own } },
  );
  const code = await (mistake.byAnother ? asAnother(() => dispatch(context)) : dispatch(context));
  return { code, output: plain(written.stdout + written.stderr, home) };
}

/** Root may read everything, so it becomes nobody for the time of the command. */
async function asAnother<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

/** Loads the code of the commands that are run by another user, who may not be allowed to read the checkout. */
export async function loadCommands(t: TestContext): Promise<void> {
  for (const command of [["init"], ["check"], ["start", "--help"]])
    await make({ name: "", command, code: 0, says: "" }, t);
}

export const plain = (output: string, home: string): string =>
  output
    .replaceAll(home, "HOME")
    .replaceAll(process.cwd(), "CWD")
    .replaceAll(/(127\.0\.0\.1:|Port )\d+/g, "$1PORT");

/** Another warning or line around the message changes nothing; its own lines are whole. */
export function assertSays({ code, output }: Said, expected: Pick<Mistake, "code" | "says">): void {
  if (!`\n${output}\n`.includes(`\n${expected.says}\n`)) assert.equal(output, expected.says);
  assert.equal(code, expected.code, output);
}

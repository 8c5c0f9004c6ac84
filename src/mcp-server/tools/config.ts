// The config file of the gateway's node. Secrets that stand in it are marks here, and stay as they are.
import { z } from "zod";
import type { Operations } from "../../sdk/client/shapes.ts";
import { applyEdits, changedLines } from "../config-edits.ts";
import { ToolError } from "../gateway.ts";
import { textsBlock } from "../items.ts";
import * as take from "../parameters.ts";
import type { OutsideBlock, ToolResult } from "../result.ts";
import { cutWords, windowOf } from "../texts.ts";
import { type Calls, changeTool, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";

const longestText = 24_000;

const etag = z
  .string()
  .min(1)
  .max(200)
  .describe("`etag` of read_config, so that nobody else's change is lost.");
const change = {
  edits: z
    .array(z.strictObject({ old: z.string().min(1).max(100_000), new: z.string().max(100_000) }))
    .min(1)
    .max(100)
    .optional()
    .describe("Texts to replace, each of which stands in the file exactly once. Better than `text`."),
  text: z.string().max(1_000_000).optional().describe("Instead: the whole file."),
};

type Change = z.output<z.ZodObject<typeof change>>;
type Read = { text: string; etag: string; file: string; differs: boolean; restart: readonly string[] };

async function read({ ask, signal }: Calls): Promise<Read> {
  let etag = "";
  const config = await ask(
    "getConfig",
    {},
    { signal, onHeaders: (headers) => (etag = headers.get("etag") ?? "") },
  );
  return { ...config, etag };
}

function edited(present: Read, { edits, text }: Change): string {
  if ((edits === undefined) === (text === undefined)) throw new ToolError("Give either edits or text.");
  return text ?? applyEdits(present.text, edits ?? []);
}

const readConfig = readTool({
  name: "read_config",
  title: "Read the config",
  description:
    "The gateway's config file, with comments. Secrets that stand in it are shown as marks, which must be left as they are; references to variables and files stay.",
  input: { from: take.from },
  output: { etag: z.string() },
  async handle({ from }, calls) {
    const { text, etag: tag, differs } = await read(calls);
    const window = windowOf(text, from, longestText);
    const note = cutWords(window, (next) => `read_config with from ${next}`);
    const says = differs
      ? "The config file is not the one that the gateway runs with: it was just changed, or has problems."
      : "The gateway runs with this config.";
    return {
      says,
      fields: { etag: tag, differs },
      outside: [{ label: "the config file", text: window.text, note }],
    };
  },
});

type Checked = Operations["checkConfig"]["answer"];

async function check(text: string, { ask, signal }: Calls): Promise<Checked> {
  return ask("checkConfig", { body: { text } }, { signal });
}

const mostProblems = 50;

function checkedResult({ ok, problems, warnings, restart }: Checked): ToolResult {
  const blockOf = (label: string, found: Checked["problems"]): OutsideBlock[] => {
    const shown = found
      .slice(0, mostProblems)
      .map((each, at) => ({ key: { number: at + 1 }, texts: { ...each } }));
    return textsBlock(label, shown);
  };
  return {
    says: ok ? "The config has no problems." : `The config has ${counted(problems.length, "problem")}.`,
    fields: {
      ok,
      problems: problems.length,
      warnings: warnings.length,
      restart: restart.slice(0, mostProblems),
    },
    outside: [...blockOf("problems", problems), ...blockOf("warnings", warnings)],
  };
}

const checkConfig = readTool({
  name: "check_config",
  title: "Check a config",
  description:
    "Every problem that the config would have with these edits, or that this text would have. Without both: the file as it is. Nothing is written.",
  input: change,
  output: { ok: z.boolean() },
  async handle(given, calls) {
    const present = await read(calls);
    const isAsItIs = given.edits === undefined && given.text === undefined;
    return checkedResult(await check(isAsItIs ? present.text : edited(present, given), calls));
  },
});

const replaceConfig = changeTool({
  name: "replace_config",
  title: "Replace the config",
  description:
    "Changes the gateway's config file, if it has no problems then and nobody changed it since it was read. Comments stay. The gateway takes it up within seconds. The plan shows the lines that change, and all problems.",
  input: { etag, ...change },
  output: {},
  hints: { destructiveHint: true, idempotentHint: true },
  isPost: false,
  async plan({ etag: tag, ...given }, calls) {
    const present = await read(calls);
    refuseOther(present, tag);
    const text = edited(present, given);
    const checked = checkedResult(await check(text, calls));
    const lines = windowOf(changedLines(present.text, text), 0, longestText / 2);
    const isGood = checked.fields["ok"] === true;
    const possible = isGood && lines.of > 0;
    const says = possible
      ? "the config is changed; it has no problems then."
      : isGood
        ? "Nothing to do: the config would stay as it is."
        : `It would be refused. ${checked.says}`;
    const note = lines.next === null ? null : `${lines.of} characters change in all.`;
    const block = { label: "the lines that change", text: lines.text, note };
    const outside = [...(lines.of === 0 ? [] : [block]), ...(checked.outside ?? [])];
    return { ...checked, says, outside, possible };
  },
  async act({ etag: tag, ...given }, calls) {
    const present = await read(calls);
    refuseOther(present, tag);
    const { ask, signal } = calls;
    const body = { text: edited(present, given) };
    const { taken, restart, warnings } = await ask("replaceConfig", { body }, { signal, ifMatch: tag });
    const says = taken
      ? "The config was replaced, and the gateway runs with it."
      : "The config was replaced. The gateway takes it up within seconds.";
    return {
      says,
      fields: { taken, restart: restart.slice(0, mostProblems), warnings: warnings.length },
      outside: textsBlock(
        "warnings",
        warnings.slice(0, mostProblems).map((each, at) => ({ key: { number: at + 1 }, texts: { ...each } })),
      ),
    };
  },
});

function refuseOther({ etag: present }: Read, given: string): void {
  if (present !== given)
    throw new ToolError(
      "The config has changed since you read it. Read it again, with read_config, and repeat your change.",
    );
}

export const configTools: readonly Tool[] = [readConfig, checkConfig, replaceConfig];

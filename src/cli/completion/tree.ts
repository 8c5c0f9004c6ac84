// What the shell can propose, from the commands' own tables: for each chain of words, such as "runs show", the words
// that may come next, the options, and the values of an option where they are a fixed set.
import type { Command, Flag, Syntax } from "../command.ts";
import { descriptionIn } from "./description.ts";

export type Word = { word: string; description: string | null };
export type Option = Word & { value: null | "free" | "file" | readonly string[] };
export type Node = { path: string; words: readonly Word[]; options: readonly Option[] };

const help: Option = { word: "--help", description: "show the help", value: null };
const version: Option = { word: "--version", description: "print the version", value: null };

/** The first node is that of `rouse` itself. */
export function treeOf(commands: readonly Command[]): Node[] {
  const words = commands.map(({ name, summary }) => ({ word: name, description: summary }));
  const helpWord = { word: "help", description: "show the help of a command" };
  const nodes = [
    { path: "", words: [...words, helpWord], options: [help, version] },
    { path: "help", words, options: [] },
    ...commands.flatMap((command) => nodesOf(command.name, command.syntax, command)),
  ];
  nodes.forEach(checkWords);
  checkOptions(nodes);
  return nodes;
}

function nodesOf(path: string, { options, words = {} }: Syntax, command: Command): Node[] {
  const own = Object.entries(options).map(([name, flag]) => ({
    word: `--${name}`,
    description: descriptionIn(command.help, `--${name}`),
    value: valueOf(flag),
  }));
  const next = Object.keys(words).map((word) => ({ word, description: descriptionIn(command.help, word) }));
  return [
    { path, words: next, options: [...own, help] },
    ...Object.entries(words).flatMap(([word, syntax]) => nodesOf(`${path} ${word}`, syntax, command)),
  ];
}

function valueOf({ type, file, values }: Flag): Option["value"] {
  if (type === "boolean") return null;
  return file ? "file" : (values ?? "free");
}

/** The shells get these words unquoted. */
function checkWords({ path, words, options }: Node): void {
  const values = options.flatMap(({ value }) => (typeof value === "object" ? (value ?? []) : []));
  for (const word of [...words, ...options].map((each) => each.word).concat(values))
    if (!/^[\w.-]+$/.test(word)) throw new Error(`completion of "${path}": ${word} would need quotes`);
}

/** The scripts know an option that takes a value by its name alone. */
function checkOptions(nodes: readonly Node[]): void {
  const valued = valuedOptions(nodes);
  for (const { path, options } of nodes)
    for (const { word, value } of options)
      if (value === null && valued.includes(word))
        throw new Error(`completion of "${path}": ${word} takes a value elsewhere`);
}

/** The names of all options that take a value. */
export const valuedOptions = (nodes: readonly Node[]): string[] => [
  ...new Set(nodes.flatMap(({ options }) => options.filter(({ value }) => value !== null)).map(wordOf)),
];

export const wordOf = ({ word }: Word): string => word;

/** The names of the options whose value is a file. */
export const fileOptions = (nodes: readonly Node[]): string[] => [
  ...new Set(nodes.flatMap(({ options }) => options.filter(({ value }) => value === "file")).map(wordOf)),
];

export type Choice = { path: string; option: string; values: readonly string[] };

/** Each option of each node whose value is one of a fixed set. */
export const choicesOf = (nodes: readonly Node[]): Choice[] =>
  nodes.flatMap(({ path, options }) =>
    options.flatMap(({ word, value }) =>
      value === null || typeof value === "string" ? [] : [{ path, option: word, values: value }],
    ),
  );

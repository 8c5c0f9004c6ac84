// Reads headers, query and body file of a request from the command line.
import { readFileSync } from "node:fs";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { resolve } from "node:path";
import { whyUnreadable } from "../../config/read/why-unreadable.ts";
import { UsageError } from "../../core/errors.ts";
import { WrongUsage } from "../command.ts";
import type { Values } from "../terminal/arguments.ts";

export const headerFlags = {
  header: { type: "string", multiple: true },
  headers: { type: "string", file: true },
} as const;
export const queryFlag = { query: { type: "string", multiple: true } } as const;

export type Pair = [name: string, value: string];

const tokenHeaders = ["authorization", "x-gateway-token"];
const connectionHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
];

type HeaderValues = Values<typeof headerFlags>;

/** Each `name: value`; those of the command line stand in place of the file's. */
export function readHeaders({ header = [], headers: file }: HeaderValues): Pair[] {
  const given = header.map((each) => readHeader(each, "--header"));
  const isGiven = (name: string) => given.some(([other]) => other.toLowerCase() === name.toLowerCase());
  const filed = file === undefined ? [] : readHeadersFile(file);
  return [...filed.filter(([name]) => !isGiven(name)), ...given];
}

/** One header a line. */
function readHeadersFile(file: string): Pair[] {
  const lines = readGivenFile(file).toString("utf8").split(/\r?\n/);
  return lines.flatMap((line, at) =>
    line.trim() === "" ? [] : [readHeader(line, `Line ${at + 1} of ${file}`)],
  );
}

function readHeader(written: string, where: string): Pair {
  const [name, value] = split(written, ":", where, "X-GitHub-Event: push");
  const lower = name.toLowerCase();
  if (tokenHeaders.includes(lower))
    throw new WrongUsage(`${where}: ${name} cannot be set: the token comes from the config.`);
  if (connectionHeaders.includes(lower))
    throw new WrongUsage(`${where}: ${name} cannot be set: it belongs to the connection.`);
  if (!isHeader(name, value)) throw new WrongUsage(`${where}: this is not a valid header: ${name}: ${value}`);
  return [name, value];
}

/** Each `name=value`. */
export const readQuery = (written: readonly string[] = []): Pair[] =>
  written.map((each) => split(each, "=", "--query", "team=blue"));

function split(written: string, mark: string, where: string, example: string): Pair {
  const end = written.indexOf(mark);
  const name = written.slice(0, Math.max(0, end)).trim();
  if (name === "") throw new WrongUsage(`${where} must be a name and a value, such as '${example}'`);
  return [name, written.slice(end + 1).trim()];
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** A file's bytes as they are; `-` is standard input. */
export async function readBodyFile(file: string, readInput: () => Promise<string>): Promise<Buffer> {
  return file === "-" ? Buffer.from(await readInput()) : readGivenFile(file);
}

function readGivenFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (fault) {
    throw new UsageError(`The file ${resolve(file)} cannot be read: ${whyUnreadable(fault)}.`);
  }
}

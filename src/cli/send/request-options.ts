// Reads headers, query and body file of a request from the command line.
import { readFileSync } from "node:fs";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { UsageError } from "../../core/errors.ts";
import { WrongUsage } from "../command.ts";

export const headerFlag = { header: { type: "string", multiple: true } } as const;
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

/** Each `name: value`. */
export function readHeaders(written: readonly string[] = []): Pair[] {
  return written.map((each) => {
    const [name, value] = split(each, ":", "--header", "'X-GitHub-Event: push'");
    const lower = name.toLowerCase();
    if (tokenHeaders.includes(lower))
      throw new WrongUsage(`${name} cannot be set: the token comes from the config.`);
    if (connectionHeaders.includes(lower))
      throw new WrongUsage(`${name} cannot be set: it belongs to the connection.`);
    if (!isHeader(name, value)) throw new WrongUsage(`This is not a valid header: ${name}: ${value}`);
    return [name, value];
  });
}

/** Each `name=value`. */
export const readQuery = (written: readonly string[] = []): Pair[] =>
  written.map((each) => split(each, "=", "--query", "team=blue"));

function split(written: string, mark: string, flag: string, example: string): Pair {
  const end = written.indexOf(mark);
  const name = written.slice(0, Math.max(0, end)).trim();
  if (name === "") throw new WrongUsage(`${flag} is a name and a value: ${flag} ${example}`);
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
  if (file === "-") return Buffer.from(await readInput());
  try {
    return readFileSync(file);
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? String(fault.code) : "unknown fault";
    throw new UsageError(`The file ${file} cannot be read (${code}).`);
  }
}

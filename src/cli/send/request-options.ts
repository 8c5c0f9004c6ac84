// What a person says of a request besides its body: headers and query.
import { readFileSync } from "node:fs";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { UsageError } from "../../core/errors.ts";
import { WrongUsage } from "../command.ts";

export const headerFlag = { header: { type: "string", multiple: true } } as const;
export const queryFlag = { query: { type: "string", multiple: true } } as const;

export type Pair = [name: string, value: string];

const ofToken = ["authorization", "x-gateway-token"];
const ofConnection = [
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
    if (ofToken.includes(lower))
      throw new WrongUsage(`${name} is not yours to set: the token is the config's.`);
    if (ofConnection.includes(lower))
      throw new WrongUsage(`${name} is not yours to set: it belongs to the connection.`);
    if (!isHeader(name, value)) throw new WrongUsage(`No header can be written as ${name}: ${value}`);
    return [name, value];
  });
}

/** Each `name=value`. */
export const readQuery = (written: readonly string[] = []): Pair[] =>
  written.map((each) => split(each, "=", "--query", "team=blue"));

function split(written: string, mark: string, flag: string, example: string): Pair {
  const at = written.indexOf(mark);
  const name = written.slice(0, Math.max(0, at)).trim();
  if (name === "") throw new WrongUsage(`${flag} is a name and a value: ${flag} ${example}`);
  return [name, written.slice(at + 1).trim()];
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

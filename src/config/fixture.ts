// What the tests of this room share: parsing a value or a text as if it were a file.
import { parseConfig, type ParseResult } from "./load.ts";

export const hookToken = "hook-token-that-is-long-enough";
export const gatewayToken = "gateway-token-that-is-long-enough";

type Surroundings = { env?: Record<string, string>; files?: Record<string, string> };

export const parse = (text: string, { env = {}, files = {} }: Surroundings = {}): ParseResult =>
  parseConfig(text, {
    file: "/home/rouse/rouse.jsonc",
    env,
    readFile(path) {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: "ENOENT" });
      return content;
    },
  });

export const parseValue = (value: unknown, around: Surroundings = {}): ParseResult =>
  parse(JSON.stringify(value, null, 2), around);

const lines = (found: readonly { path: string; message: string }[]) =>
  found.map(({ path, message }) => `${path}: ${message}`);

export const problemsOf = (value: unknown, around: Surroundings = {}): string[] => {
  const result = typeof value === "string" ? parse(value, around) : parseValue(value, around);
  return result.ok ? [] : lines(result.problems);
};

export const warningsOf = (value: unknown, around: Surroundings = {}): string[] =>
  lines(parseValue(value, around).warnings);

export const configOf = (value: unknown, around: Surroundings = {}) => {
  const result = parseValue(value, around);
  if (!result.ok) throw new Error(lines(result.problems).join("\n"));
  return result.config;
};

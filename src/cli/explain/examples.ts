// Reads the example payloads of mappings, and compares the mappings with them.
import { readRegularFile } from "../../config/read/regular-file.ts";
import type { MappingConfig } from "../../config/config.ts";
import type { Finding, Problem } from "../../config/problem.ts";
import { faultKind, isRefusal, UsageError } from "../../core/errors.ts";
import type { Example } from "../../hooks/mapping/examples.ts";
import type { Mapping } from "../../hooks/mapping/compile.ts";
import { WrongUsage } from "../command.ts";
import type { Loaded } from "../open/settings.ts";
import { readHeaders } from "../send/request-options.ts";

/** The warnings about mappings that do not fit their examples, and about examples that cannot be read. */
export async function exampleWarnings(
  { locate }: Pick<Loaded, "locate">,
  mappings: readonly Mapping[],
  now: number,
): Promise<Problem[]> {
  const { exampleFindings } = await import("../../hooks/mapping/examples.ts");
  const findings = await Promise.all(
    mappings.map(async (mapping): Promise<Finding[]> => {
      const read = await Promise.all(mapping.examples.map((example) => readExample(mapping, example, now)));
      const unreadable = read.flatMap((example, at) =>
        typeof example === "string"
          ? [{ path: ["hooks", "mappings", mapping.origin, "examples", at], message: example }]
          : [],
      );
      const readable = read.filter((example) => typeof example !== "string");
      return [...unreadable, ...exampleFindings(mapping, readable)];
    }),
  );
  return findings.flat().map(locate);
}

/** Or why it cannot be used. */
export async function readExample(
  { match }: Pick<MappingConfig, "match">,
  { payload: file, headers }: MappingConfig["examples"][number],
  now: number,
): Promise<Example | string> {
  const { mappedRequest } = await import("../../hooks/decide.ts");
  const { parseMapped } = await import("../../hooks/mapping/request.ts");
  try {
    const body = await readRegularFile(file);
    const parsed = parseMapped(body);
    if (isRefusal(parsed)) return `${file} is not JSON`;
    const rawHeaders = headers === null ? [] : readHeaders({ headers }).flat();
    const request = mappedRequest(match.path ?? "example", parsed.value, { rawHeaders, target: "", now });
    return { request, hasHeaders: headers !== null };
  } catch (fault) {
    if (fault instanceof UsageError || fault instanceof WrongUsage) return fault.message;
    return `${file} cannot be read (${faultKind(fault)})`;
  }
}

// Reads the example payloads of mappings, and compares the mappings with them.
import { readRegularFile } from "../../config/read/regular-file.ts";
import type { MappingConfig } from "../../config/config.ts";
import type { Finding, Problem } from "../../config/problem.ts";
import { catalogue, faultKind, isRefusal, type Refusal, UsageError } from "../../core/errors.ts";
import type { Example } from "../../hooks/mapping/examples.ts";
import type { Mapping } from "../../hooks/mapping/compile.ts";
import { noSenders, type Senders } from "../../hooks/senders/prepare.ts";
import type { Patterns } from "../../hooks/mapping/pattern.ts";
import { WrongUsage } from "../command.ts";
import type { Loaded } from "../open/settings.ts";
import { withContentType } from "../send/content-type.ts";
import { readHeaders } from "../send/request-options.ts";

/** The warnings about mappings that do not fit their examples, and about examples that cannot be read. */
export async function exampleWarnings(
  { locate, config }: Pick<Loaded, "locate" | "config">,
  mappings: readonly Mapping[],
  now: number,
  patterns?: Patterns,
): Promise<Problem[]> {
  const { exampleFindings } = await import("../../hooks/mapping/examples.ts");
  const { prepareSenders } = await import("../../hooks/senders/prepare.ts");
  const prepared = prepareSenders(config.hooks.senders);
  const senders = prepared.ok ? prepared.senders : undefined;
  const findings = await Promise.all(
    mappings.map(async (mapping): Promise<Finding[]> => {
      const read = await Promise.all(
        mapping.examples.map((example) => readExample(mapping, example, now, senders)),
      );
      const unreadable = read.flatMap((example, at) =>
        typeof example === "string"
          ? [{ path: ["hooks", "mappings", mapping.origin, "examples", at], message: example }]
          : [],
      );
      const readable = read.filter((example) => typeof example !== "string");
      return [...unreadable, ...exampleFindings(mapping, readable, patterns)];
    }),
  );
  return findings.flat().map(locate);
}

const refusalText = ({ refused, details = [] }: Refusal): string =>
  refused === "invalid-json"
    ? "is not JSON"
    : (details[0]?.message ?? `cannot be read: ${catalogue[refused].text}`);

/** Or why it cannot be used. */
export async function readExample(
  { match }: Pick<MappingConfig, "match">,
  { payload: file, headers }: MappingConfig["examples"][number],
  now: number,
  senders: Senders = noSenders,
): Promise<Example | string> {
  const { sentBy } = await import("../../hooks/explain/explain.ts");
  const { readMapped } = await import("../../hooks/decide.ts");
  try {
    const body = await readRegularFile(file);
    const listed = headers === null ? [] : readHeaders({ headers });
    const rawHeaders = withContentType({ headers: listed, contentType: undefined, file, body }).flat();
    const given = { body, rawHeaders, target: "", now };
    const sender = senders.get(match.path ?? "");
    const sent = sender && sentBy(sender, given);
    const request = readMapped(match.path ?? "example", { ...given, ...(sent && { sent }) });
    if (isRefusal(request)) return `${file} ${refusalText(request)}`;
    return { request, hasHeaders: headers !== null };
  } catch (fault) {
    if (fault instanceof UsageError || fault instanceof WrongUsage) return fault.message;
    return `${file} cannot be read (${faultKind(fault)})`;
  }
}

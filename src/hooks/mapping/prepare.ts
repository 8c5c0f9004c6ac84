// Prepares mappings for requests: compiles templates and loads transforms. A fault in either is a problem of the
// configuration, reported before the first request.
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../config/problem.ts";
import { refuse, type Refusal } from "../../core/errors.ts";
import type { Transforms } from "../../transforms/pool.ts";
import type { Mapping, MappingFault } from "./compile.ts";
import type { DecisionListener, MappingResult } from "./decide.ts";
import type { Keys } from "./key.ts";
import { noPatterns, type PatternFault, type Patterns } from "./pattern.ts";
import type { MappedRequest } from "./request.ts";

export type Mappings = Keys & {
  couldTake(name: string): boolean;
  /** Whether the configuration names this hook. */
  isNamed(name: string): boolean;
  /** Whether a request of this name may be given to a transform. */
  mayTransform(name: string): boolean;
  decide(request: MappedRequest, listener?: DecisionListener): Promise<MappingResult | Refusal>;
  patterns: Patterns;
  /** In the order in which they are tried. */
  list: readonly Mapping[];
  transforms: Transforms;
  /** Resolves when all pending decisions are made. */
  close(): Promise<void>;
};

/** Findings are about settings of the config. */
export type PreparedMappings = { ok: true; mappings: Mappings } | { ok: false; findings: Finding[] };

const noTransforms: Transforms = {
  run: async () => ({ kind: "failed", reason: "no transform is loaded" }),
  close: async () => {},
  stop: () => {},
};

export const noMappings: Mappings = {
  couldTake: () => false,
  isNamed: () => false,
  mayTransform: () => false,
  decide: async () => refuse("unknown-hook"),
  haveKeys: false,
  keyOf: () => null,
  patterns: noPatterns,
  list: [],
  transforms: noTransforms,
  close: async () => {},
};

type Options = Pick<Config["hooks"], "mappings" | "transformsDir" | "transformTimeoutSeconds"> & {
  onOutput?: (text: string) => void;
};

/** Loads the template engine and starts processes only when a mapping needs them. */
export async function prepareMappings(options: Options): Promise<PreparedMappings> {
  if (options.mappings.length === 0) return { ok: true, mappings: noMappings };
  const { compileMappings } = await import("./compile.ts");
  const { decideMapped } = await import("./decide.ts");
  const { createMatcher } = await import("./match.ts");
  const { createRenderThread } = await import("./render-thread.ts");
  const { compilePatterns } = await import("./pattern.ts");
  const { createKeys } = await import("./key.ts");
  const { mappings: list, faults } = compileMappings(options.mappings);
  const { patterns, faults: patternFaults } = await compilePatterns(options.mappings);
  const opened = await openTransformsOf(options);
  const all = [...faults, ...patternFaults, ...(opened.ok ? [] : opened.faults)];
  if (!opened.ok || all.length > 0) {
    if (opened.ok) await opened.transforms.close();
    return { ok: false, findings: all.map(findingOf) };
  }
  const { transforms } = opened;
  const matcher = createMatcher(list, patterns);
  const thread = createRenderThread(options.mappings);
  const pending = new Set<Promise<unknown>>();
  const decide = (request: MappedRequest, listener?: DecisionListener) => {
    const deps = { matcher, list, transforms, thread, ...(listener && { listener }) };
    const decision = decideMapped(request, deps);
    pending.add(decision);
    const forget = () => void pending.delete(decision);
    decision.then(forget, forget);
    return decision;
  };
  const close = async () => {
    await Promise.allSettled(pending);
    await Promise.all([transforms.close(), thread.close()]);
  };
  const { couldTake, isNamed } = matcher;
  const keys = createKeys(list, matcher);
  const mayTransform = transformedNames(list);
  return {
    ok: true,
    mappings: { couldTake, isNamed, mayTransform, decide, ...keys, patterns, list, transforms, close },
  };
}

function transformedNames(list: readonly Mapping[]): (name: string) => boolean {
  const paths = new Set(list.flatMap(({ match, transform }) => (transform === null ? [] : [match.path])));
  return (name) => paths.has(name) || paths.has(null);
}

const findingOf = ({ mapping, setting, message }: MappingFault | PatternFault): Finding => ({
  path:
    typeof mapping.origin === "number"
      ? ["hooks", "mappings", mapping.origin, ...(typeof setting === "string" ? [setting] : setting)]
      : ["hooks", "presets"],
  message,
});

async function openTransformsOf({
  mappings,
  transformsDir,
  transformTimeoutSeconds,
  onOutput,
}: Options): Promise<{ ok: true; transforms: Transforms } | { ok: false; faults: MappingFault[] }> {
  const users = mappings.flatMap((mapping) =>
    mapping.transform === null ? [] : [{ mapping, reference: mapping.transform }],
  );
  if (users.length === 0) return { ok: true, transforms: noTransforms };
  const { openTransforms } = await import("../../transforms/pool.ts");
  const opened = await openTransforms({
    transformsDir,
    references: users.map(({ reference }) => reference),
    timeoutMs: transformTimeoutSeconds * 1000,
    onOutput,
  });
  if (opened.ok) return opened;
  const isAt = (
    fault: { reference: { module: string; export: string | null } },
    user: (typeof users)[number],
  ) => fault.reference.module === user.reference.module && fault.reference.export === user.reference.export;
  const faults = opened.faults.flatMap((fault) =>
    users
      .filter((user) => isAt(fault, user))
      .map(({ mapping }) => ({ mapping, setting: "transform", message: fault.message })),
  );
  return { ok: false, faults };
}
